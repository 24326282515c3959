import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPeers, peer } from "../peers.ts";
import { direct, findNode, type Subject } from "../subjects.ts";

/**
 * What is put between a stdio host and a remote server. A place's `server` is the server's address here. `direct` is the
 * address itself: the driver calls it over HTTP.
 */

const MODULES = join(import.meta.dirname, "..", "peers", "node_modules");
const MCP_REMOTE = join(MODULES, "mcp-remote/dist/proxy.js");
const SUPERGATEWAY = join(MODULES, "supergateway/dist/index.js");

/** A machine's own HTTP proxy has no part in this. */
const NO_PROXY = { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };

/** The yardstick, and the executable with recording on and off. */
export function ownRemoteSubjects(executable: string): Subject[] {
  const unavailable = existsSync(executable) ? undefined : `${executable} is missing: \`bun run build\` makes it`;
  const subject = (name: string, records: boolean, flags: string[]): Subject => ({
    name,
    records,
    peer: false,
    unavailable,
    launch: async ({ server: [url = ""], directory }) => ({
      argv: [executable, "proxy", "--server-name", "echo", ...flags, "--url", url],
      env: { BIR_HOME: directory, ...NO_PROXY },
    }),
  });
  return [direct, subject("bir", true, []), subject("no-record", false, ["--no-record"])];
}

/**
 * Other bridges from stdio to Streamable HTTP, installed if they are not there. None of them records. Their logs are off:
 * they would make them slower by a sixth.
 */
export function remotePeers(): Subject[] {
  const node = findNode();
  const problem = node === null ? "no Node on the path" : installPeers(SUPERGATEWAY);
  const runtime = node ?? "node";
  return [
    peer("mcp-remote", MCP_REMOTE, problem, async ({ server: [url = ""] }) => ({
      argv: [runtime, MCP_REMOTE, url, "--allow-http", "--transport", "http-only", "--silent"],
      env: NO_PROXY,
    })),
    peer("supergateway", SUPERGATEWAY, problem, async ({ server: [url = ""] }) => ({
      argv: [runtime, SUPERGATEWAY, "--streamableHttp", url, "--logLevel", "none"],
      env: NO_PROXY,
    })),
  ];
}
