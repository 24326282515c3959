/**
 * Why there is no connection, in words a person understands. Only codes of the system and of TLS are quoted: never an address, a
 * header or what the other side said.
 */

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "host not found",
  ENODATA: "host not found",
  EAI_NONAME: "host not found",
  ECONNRESET: "the connection was closed before it was ready",
  EPIPE: "the connection was closed before it was ready",
  EHOSTUNREACH: "host not reachable",
  ENETUNREACH: "network not reachable",
  ETIMEDOUT: "the host does not answer",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
};

const CERTIFICATE_WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
  CERT_REVOKED: "the certificate was revoked",
};

const UNTRUSTED =
  /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA|CERT_SIGNATURE|INVALID_PURPOSE|CERT_CHAIN|PATH_LENGTH/;

/** Words for what the system or TLS reports as the reason for no connection. */
export function connectWords(error: unknown): string {
  const code = codeOf(error);
  if (code === null) return "no connection";
  const plain = WORDS[code];
  if (plain !== undefined) return plain;
  const certificate = CERTIFICATE_WORDS[code] ?? (UNTRUSTED.test(code) ? "the certificate is not trusted" : null);
  if (certificate !== null) return `${certificate} (${code})`;
  return /SSL|TLS/.test(code) ? `no TLS connection (${code})` : `no connection (${code})`;
}

/** `10 s`, `1.5 s`, `50 ms`. */
export function spanWords(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  const { code } = error;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code) ? code.replace(/^DNS_/, "") : null;
}
