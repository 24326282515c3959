/**
 * Whom TLS trusts: the roots that come with the runtime, those of the system, and what `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE` and
 * `SSL_CERT_DIR` add. Read when the first connection needs it, then kept. What cannot be read adds nothing and is said once:
 * trust never gets wider than what was read, and verification is never turned off.
 */

import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createSecureContext, getCACertificates, rootCertificates, type SecureContext } from "node:tls";
import type { Environment } from "./proxy-choice.ts";

const CERTIFICATE = /-----BEGIN (?:X509 )?CERTIFICATE-----[^-]+-----END (?:X509 )?CERTIFICATE-----/g;

/** Answers the one context of all connections, made when it is first asked for. `warn` is told one line for each that is unreadable. */
export function lazyTrust(env: Environment, warn: (line: string) => void): () => SecureContext {
  let context: SecureContext | null = null;
  return () => {
    context ??= createSecureContext({ ca: trustedCertificates(env, warn), minVersion: "TLSv1.2" });
    return context;
  };
}

/** Every certificate that is trusted, in PEM, each once. */
export function trustedCertificates(env: Environment, warn: (line: string) => void): string[] {
  const all = new Set<string>();
  const add = (pems: readonly string[]): void => {
    for (const pem of pems) all.add(oneSpelling(pem));
  };
  add(rootCertificates);
  add(systemCertificates(warn));
  for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
    const path = env[name];
    if (path) add(certificatesOf(name, path, all, warn));
  }
  for (const directory of (env.SSL_CERT_DIR ?? "").split(delimiter)) {
    if (directory !== "") add(certificatesIn(directory, all, warn));
  }
  return [...all];
}

/** The same certificate is often in several of these places. */
function oneSpelling(pem: string): string {
  return pem.includes("\r") ? pem.replaceAll("\r", "").trim() : pem.trim();
}

function systemCertificates(warn: (line: string) => void): readonly string[] {
  try {
    return getCACertificates("system");
  } catch {
    warn("the certificates of the system cannot be read: only the built-in ones and your own are trusted");
    return [];
  }
}

function certificatesOf(
  name: string,
  path: string,
  known: ReadonlySet<string>,
  warn: (line: string) => void,
): string[] {
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch (error) {
    warn(`${name}: ${path} cannot be read (${codeOf(error)}): its certificates are not trusted`);
    return [];
  }
  const found = readable(text, known);
  if (found.certificates.length === 0) warn(`${name}: ${path} holds no certificate in PEM`);
  else if (found.broken > 0) warn(`${name}: ${path} holds ${found.broken} that cannot be read as a certificate`);
  return found.certificates;
}

/** A directory also holds other things: what is no certificate there is passed over. */
function certificatesIn(directory: string, known: ReadonlySet<string>, warn: (line: string) => void): string[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    warn(`SSL_CERT_DIR: ${directory} cannot be read (${codeOf(error)}): its certificates are not trusted`);
    return [];
  }
  return names.flatMap((name) => {
    try {
      return readable(readFileSync(join(directory, name), "latin1"), known).certificates;
    } catch {
      return [];
    }
  });
}

/** @param known need not be looked at again */
function readable(text: string, known: ReadonlySet<string>): { certificates: string[]; broken: number } {
  const blocks = text.match(CERTIFICATE) ?? [];
  const certificates = blocks.filter((pem) => known.has(oneSpelling(pem)) || isCertificate(pem));
  return { certificates, broken: blocks.length - certificates.length };
}

/** One that cannot be parsed would take all others with it. */
function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "unknown reason";
}
