/**
 * Addresses of recordings services: which ones a token may be sent to. Pure; never quotes what it was given, since people
 * paste credentials into URLs.
 */

/** Why an address cannot be used, as the end of a sentence. */
export class UnusableUrl extends Error {}

/**
 * The one spelling of a service's address: `https://host[:port][/path]`, without a slash at its end. Plain HTTP only to this
 * machine, or where `allowHttp` says so. Throws `UnusableUrl`.
 */
export function serviceUrl(text: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === "") throw new UnusableUrl("it is no URL: write https://HOST");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new UnusableUrl("it has to begin with https://");
  if (url.username !== "" || url.password !== "") {
    throw new UnusableUrl("it holds a user or a password: only the token is sent, and that comes from stdin");
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    throw new UnusableUrl("it holds a query or a fragment: give the address alone");
  }
  if (url.protocol === "http:" && !allowHttp && !isLoopbackName(url.hostname)) {
    throw new UnusableUrl("http:// would send the token and the recordings in the clear: write https://");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Names by which a machine reaches itself, as a URL spells them. */
function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
