/** Parts of a URL in the form in which sockets take them. Pure. */

/** The port that a URL of http or https leads to. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** The host name without the brackets of an IPv6 address. */
export function bareHost(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** The last is how a URL writes an IPv4 address in IPv6. */
const LOOPBACK_ADDRESS = /^(?:::1|127(?:\.\d{1,3}){3}|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})$/;

/** True for a name or an address of this very machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || LOOPBACK_ADDRESS.test(name);
}
