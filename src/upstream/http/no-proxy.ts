/**
 * `NO_PROXY`: hosts that are reached without a proxy. A list with commas or blanks between: `*`, a host (with all below it, as
 * curl takes it, with or without a dot before it), an address, a range of addresses such as `10.0.0.0/8`; each may end in `:port`.
 * Pure. What cannot be read exempts nothing.
 */

import { BlockList, isIP } from "node:net";
import { bareHost, portOf } from "./url-parts.ts";

/** True when an entry of `list` covers the URL's host and port. */
export function isExempt(url: URL, list: string): boolean {
  const host = bareHost(url).toLowerCase().replace(/\.$/, "");
  const port = portOf(url);
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && covers(entry, host, port));
}

function covers(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const named = splitPort(entry);
  if (named.port !== null && named.port !== port) return false;
  if (isIP(host) !== 0) return coversAddress(named.host, host);
  const name = named.host.replace(/^\*?\./, "").replace(/\.$/, "");
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

function splitPort(entry: string): { host: string; port: number | null } {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry);
  if (bracketed !== null) return { host: bracketed[1] ?? "", port: bracketed[2] ? Number(bracketed[2]) : null };
  // More than one colon, and no brackets: an IPv6 address.
  const withPort = /^([^:]*):(\d+)$/.exec(entry);
  return withPort === null ? { host: entry, port: null } : { host: withPort[1] ?? "", port: Number(withPort[2]) };
}

function coversAddress(entry: string, address: string): boolean {
  const [network = "", prefix] = entry.split("/");
  const family = isIP(network);
  if (family === 0 || family !== isIP(address)) return false;
  const widest = family === 4 ? 32 : 128;
  const bits = prefix === undefined ? widest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (bits < 0 || bits > widest) return false;
  if (bits === 0) return true;
  const type = family === 4 ? "ipv4" : "ipv6";
  const range = new BlockList();
  range.addSubnet(network, bits, type);
  return range.check(address, type);
}
