/** Where the things that process tests run are kept. Pure paths; never starts or writes anything. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The executable under test: the one that `bun run build` makes, or another one (a release, say) that is named. */
export const BIR =
  process.env.BIR_TEST_EXECUTABLE ?? join(ROOT, "dist", process.platform === "win32" ? "bir.exe" : "bir");

if (!process.versions.bun) throw new Error("these tests run on Bun: bun run vitest run");

/** The runtime that the tests themselves run on; it also runs the fakes. */
export const BUN = process.execPath;

/** The scriptable MCP server; see the header of that file for its language. */
export const FAKE_UPSTREAM = join(ROOT, "test", "fakes", "upstream.ts");

/** A server made with the official SDK (v2) that speaks both eras. */
export const SDK_SERVER = join(ROOT, "test", "fakes", "sdk-server.ts");

const require = createRequire(import.meta.url);

export const SERVER_EVERYTHING = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
export const SERVER_FILESYSTEM = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
