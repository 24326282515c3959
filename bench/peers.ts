import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNode, type Launch, type Place, type Subject } from "./subjects.ts";

/**
 * Other recorders that stand between a host and a stdio server, at the versions pinned in `peers/package.json`, each
 * with its recording on, and a bridge of the official SDK that records nothing.
 */

const DIRECTORY = join(import.meta.dirname, "peers");
const MODULES = join(DIRECTORY, "node_modules");

const AGENT_RECORDER = join(MODULES, "agent-recorder/vendor/node_modules/@agent-recorder/stdio-proxy/cli.js");
const TIME_TRAVEL = join(MODULES, "mcp-time-travel/dist/cli.js");
const AGENTAPE = join(MODULES, "agentape/dist/cli.js");
const COORDINATOR_START_MS = 10_000;
const BRIDGE = fileURLToPath(new URL("./peers/sdk-bridge.mjs", import.meta.url));

/** Installs the peers if they are not there; returns them all, those that cannot run with the reason. */
export function peerSubjects(): Subject[] {
  const node = findNode();
  const problem = node === null ? "no Node on the path" : installPeers(AGENTAPE);
  const runtime = node ?? "node";
  return [
    peer("agent-recorder", AGENT_RECORDER, problem, async ({ server, directory }) => ({
      argv: [runtime, AGENT_RECORDER, "--output", join(directory, "recorded.jsonl"), "--", ...server],
    })),
    peer("mcp-time-travel", TIME_TRAVEL, problem, async (place) => timeTravel(runtime, place)),
    peer("agentape", AGENTAPE, problem, (place) => agentape(runtime, place)),
    peer("sdk-bridge", BRIDGE, problem, async ({ server }) => ({ argv: [runtime, BRIDGE, ...server] })),
  ];
}

/** Installs all peers when `program` is not there; answers what went wrong, if anything. */
export function installPeers(program: string): string | undefined {
  if (!existsSync(program)) {
    console.error("installing the peers…");
    const result = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"], {
      cwd: DIRECTORY,
      stdout: "ignore",
      stderr: "pipe",
    });
    if (!result.success) {
      return `could not be installed: ${result.stderr.toString().trim().split("\n").at(-1) ?? "no reason given"}`;
    }
  }
  return undefined;
}

/** A subject that is somebody else's program. */
export function peer(
  name: string,
  program: string,
  problem: string | undefined,
  launch: (place: Place) => Promise<Launch>,
): Subject {
  const unavailable = problem ?? (existsSync(program) ? undefined : `${program} is missing`);
  return {
    name,
    records: false,
    peer: true,
    unavailable,
    launch: async (place) => {
      const started = await launch(place);
      // Nothing of theirs belongs in the home of the person who runs this.
      return { ...started, env: { HOME: place.directory, ...started.env } };
    },
  };
}

/** Takes its server from a host's config file. */
function timeTravel(node: string, { server, directory }: Place): Launch {
  const config = join(directory, "mcp.json");
  const [command, ...args] = server;
  mkdirSync(directory, { recursive: true });
  writeFileSync(config, JSON.stringify({ mcpServers: { echo: { command, args } } }));
  const output = join(directory, "sessions");
  return { argv: [node, TIME_TRAVEL, "record", "--server", "echo", "--config", config, "--output", output] };
}

/** Its proxy reports every call to a coordinator, which lives as long as the agent; it is not counted as start-up. */
async function agentape(node: string, { server, directory }: Place): Promise<Launch> {
  const tellUrl = "console.log(process.env.AGENTAPE_COORDINATOR); process.stdin.resume()";
  const cassette = join(directory, "cassette.json");
  const coordinator = Bun.spawn([node, AGENTAPE, "record", "--cassette", cassette, "--", node, "-e", tellUrl], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    env: { ...process.env, HOME: directory },
  });
  const stop = () => {
    coordinator.kill("SIGKILL");
    // The program it started ends with its stdin.
    coordinator.stdin.end();
  };
  const impatience = setTimeout(stop, COORDINATOR_START_MS);
  const url = await readUrl(coordinator.stdout).finally(() => clearTimeout(impatience));
  const env = { AGENTAPE_COORDINATOR: url, AGENTAPE_MODE: "record" };
  return { argv: [node, AGENTAPE, "mcp-proxy", "--", ...server], env, stop };
}

async function readUrl(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const url = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(text);
    if (url) return url[0];
  }
  throw new Error("agentape's coordinator did not start");
}
