/**
 * Credentials before the host of a URL (`scheme://user:password@host`). Owns where user, password and host part. Masks the
 * password and keeps the rest; masks the user only where it is a token itself.
 */

import { BACKSLASH, isDigit, isSpace, QUOTE } from "./escapes.ts";
import { isPlaceholder } from "./placeholder.ts";
import type { Scan } from "./scan-state.ts";
import { looksRandom } from "./secret-value.ts";

const KIND = "url-credentials";
const AT = 0x40;
const COLON = 0x3a;

/** Characters of user and password that are looked at. */
const LOOK_AHEAD = 1024;

/** Words for a password in the documentation of every database. */
const DOCUMENTED = /^(?:pass|passwd|pwd|password|my[-_]?password|secret)$/i;

/** `at` is the index after `://`. Returns where the scan goes on. */
export function maskUrlCredentials(scan: Scan, at: number): number {
  const { text, codes } = scan;
  if (codes[at] === 0x5b) return at; // an IPv6 host, or a marker
  let colon = -1;
  let host = -1;
  let path = -1;
  let i = at;
  const limit = Math.min(text.length, at + LOOK_AHEAD);
  for (; i < limit; i++) {
    const c = codes[i] as number;
    if (c <= 0x60 && endsUrl(c)) break;
    if (c === AT) {
      host = i;
      if (path >= 0) break;
    } else if (c === COLON) {
      if (colon < 0) colon = i;
    } else if ((c === 0x2f || c === 0x3f || c === 0x23) && path < 0) {
      // A password may hold / ? and #; a port never starts with anything but a digit.
      if (host >= 0 || colon < 0 || isPort(text, colon + 1, i)) break;
      path = i;
    }
  }
  if (host < 0) return cutCredentials(scan, at, colon, path, i);
  if (colon < 0 || colon > host) return maskUser(scan, at, host);
  const password = text.slice(colon + 1, host);
  if (password === "" || password === "x-oauth-basic") return maskUser(scan, at, colon);
  if (isPlaceholder(password, "password") || DOCUMENTED.test(password)) return colon + 1;
  scan.range(scan, at, colon);
  scan.mask(colon + 1, host, KIND);
  return host;
}

function cutCredentials(scan: Scan, at: number, colon: number, path: number, end: number): number {
  if (end < scan.text.length || !scan.cutEnd || colon < 0 || isPort(scan.text, colon + 1, path < 0 ? end : path))
    return at;
  scan.openAtEnd = true;
  scan.mask(colon + 1, end, KIND);
  return end;
}

/** `https://TOKEN@host`. */
function maskUser(scan: Scan, at: number, end: number): number {
  const user = scan.text.slice(at, end);
  if (user.length < 20 || !looksRandom(user) || scan.text.slice(end, end + 64).includes("sentry")) return at;
  scan.mask(at, end, KIND);
  return end;
}

function isPort(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return true;
}

function endsUrl(c: number): boolean {
  return isSpace(c) || c === QUOTE || c === 0x27 || c === 0x60 || c === 0x3c || c === 0x3e || c === BACKSLASH;
}
