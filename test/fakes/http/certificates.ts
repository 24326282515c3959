/** The certificates of tests: see `test/fixtures/tls/make.sh` for what they are good for. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

const directory = join(import.meta.dirname, "..", "..", "fixtures", "tls");

/** The private CA, for `NODE_EXTRA_CA_CERTS` and the like. */
export const CA_FILE = join(directory, "ca.pem");

/** What a server over TLS needs. */
export function serverIdentity(name: "server" | "wrong-host" | "names-only" | "expired" = "server"): {
  cert: string;
  key: string;
} {
  return {
    cert: readFileSync(join(directory, `${name}.pem`), "utf8"),
    key: readFileSync(join(directory, "server.key"), "utf8"),
  };
}
