import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lazyTrust, trustedCertificates } from "../../src/upstream/http/trust.ts";
import { CA_FILE } from "../fakes/http/certificates.ts";

/** Which certificates are trusted, by the environment; what is unreadable is said and adds nothing. */

let directory: string;
const ca = readFileSync(CA_FILE, "utf8").trim();

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "bir-trust-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function trusted(env: Record<string, string>): { added: string[]; warnings: string[] } {
  const warnings: string[] = [];
  const usual = new Set(trustedCertificates({}, () => {}));
  const all = trustedCertificates(env, (line) => warnings.push(line));
  for (const pem of usual) expect(all).toContain(pem);
  return { added: all.filter((pem) => !usual.has(pem)), warnings };
}

test("by itself: the built-in roots, and at least those", () => {
  const all = trustedCertificates({}, () => {});
  for (const pem of rootCertificates) expect(all).toContain(pem.trim());
  expect(new Set(all).size).toBe(all.length);
});

test.each(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"])("%s adds the certificates of a file", (name) => {
  const path = file("bundle.pem", `# mine\n${ca}\r\n\r\n${ca.replaceAll("\n", "\r\n")}\n`);
  const { added, warnings } = trusted({ [name]: path });
  expect(added).toEqual([ca]);
  expect(warnings).toEqual([]);
});

test("SSL_CERT_DIR adds those of directories, passing over what else is there", () => {
  for (const name of ["one", "two"]) mkdirSync(join(directory, name, "sub"), { recursive: true });
  file("one/readme.txt", "nothing");
  file("two/0a1b2c3d.0", ca);
  const list = [join(directory, "one"), "", join(directory, "two")].join(delimiter);
  expect(trusted({ SSL_CERT_DIR: list })).toEqual({ added: [ca], warnings: [] });
});

test.each([
  ["a file that is not there", () => join(directory, "none.pem"), /none\.pem cannot be read \(ENOENT\)/],
  ["a directory", () => directory, /cannot be read \(EISDIR\)/],
  ["a file without a certificate", () => file("empty.pem", "hello"), /empty\.pem holds no certificate/],
  ["a broken certificate", () => file("bad.pem", ca.replace(/M/g, "A")), /bad\.pem holds no certificate/],
  ["a key", () => file("key.pem", "-----BEGIN X-----\nAAAA\n-----END X-----"), /key\.pem holds no certificate/],
])("%s: one line, and nothing added", (_, path, line) => {
  for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
    const { added, warnings } = trusted({ [name]: path() });
    expect(added).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(line)]);
    expect(warnings[0]).toMatch(new RegExp(`^${name}: `));
  }
});

test("a broken certificate does not take the good ones with it", () => {
  const path = file("mixed.pem", `${ca.replace(/M/g, "A")}\n${ca}\n`);
  expect(trusted({ SSL_CERT_FILE: path })).toEqual({
    added: [ca],
    warnings: [expect.stringContaining("holds 1 that")],
  });
});

test("a directory that is not there is said", () => {
  const { added, warnings } = trusted({ SSL_CERT_DIR: join(directory, "nowhere") });
  expect(added).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(/^SSL_CERT_DIR: .*nowhere cannot be read \(ENOENT\)/)]);
});

test("files are read when trust is first asked for, and once", () => {
  const warnings: string[] = [];
  const trust = lazyTrust({ SSL_CERT_FILE: join(directory, "none.pem") }, (line) => warnings.push(line));
  expect(warnings).toHaveLength(0);
  expect(trust()).toBe(trust());
  expect(warnings).toHaveLength(1);
});
