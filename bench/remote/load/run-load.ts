import { readRecorded } from "../../lost-count.ts";
import { LoadHost } from "./load-host.ts";
import { LoadServer, type LoadServerCounts } from "./load-server.ts";
import { type MemorySample, treeRssMib } from "./memory.ts";

/**
 * The load test of `bir proxy --url`: many calls kept open at once to a server that lets nothing go smoothly. Every call
 * must be answered once with its own answer, and every one must be found in the store. Asserts nothing itself; what is
 * wrong is listed.
 */

export interface LoadPlan {
  /** The executable of `bir`. */
  executable: string;
  env: Record<string, string>;
  /** Its BIR_HOME. */
  home: string;
  inFlight: number;
  maxDelayMs: number;
  callsPerSession: number;
  /** Asked before each call: false ends the load. */
  wantsMore: (calls: number) => boolean;
  sampleMs: number;
}

export interface LoadResult {
  wallMs: number;
  calls: number;
  /** Steps found in the store, with their answers. */
  recorded: number;
  server: LoadServerCounts;
  memory: MemorySample[];
  /** What is wrong, in words; empty when nothing is. */
  faults: string[];
}

/** Runs the plan to the end of the proxy. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const server = new LoadServer({ maxDelayMs: plan.maxDelayMs, callsPerSession: plan.callsPerSession });
  const command = [plan.executable, "proxy", "--server-name", "load", "--url", await server.start()];
  const env = { ...plan.env, BIR_HOME: plan.home, NO_PROXY: "127.0.0.1" };
  const host = new LoadHost({ command, env, inFlight: plan.inFlight, wantsMore: plan.wantsMore });
  const begun = performance.now();
  const memory: MemorySample[] = [];
  const sampling = setInterval(() => {
    const rssMib = treeRssMib(host.pid);
    if (rssMib !== undefined) memory.push({ atMs: performance.now() - begun, answered: host.answered, rssMib });
  }, plan.sampleMs);
  try {
    await host.run();
  } finally {
    clearInterval(sampling);
    await host.end();
    await server.stop();
  }
  const wallMs = performance.now() - begun;
  const recorded = readRecorded(plan.home, host.calls);
  const faults = [...host.faults, ...server.faults, ...serverFaults(server.counts, host.calls)];
  if (recorded.problem !== undefined) faults.push(recorded.problem);
  if (recorded.complete !== host.calls || recorded.incomplete > 0 || recorded.gaps > 0) {
    const { complete, incomplete, gaps } = recorded;
    faults.push(
      `of ${host.calls} calls ${complete} are recorded, ${incomplete} without an answer, ${gaps} told as lost`,
    );
  }
  return { wallMs, calls: host.calls, recorded: recorded.complete, server: server.counts, memory, faults };
}

/** What the counts of the server say about its client. */
function serverFaults(counts: LoadServerCounts, calls: number): string[] {
  const faults: string[] = [];
  if (counts.calls !== calls) faults.push(`the server got ${counts.calls} calls of ${calls}`);
  const { sessions, expired, silentlyExpired } = counts;
  // Who is only refused a stream may begin a new session, and may leave it until there is something to say.
  if (sessions < expired + 1 || sessions > expired + silentlyExpired + 1) {
    faults.push(
      `${sessions} sessions were begun, ${expired} had expired under a message and ${silentlyExpired} without`,
    );
  }
  if (counts.pongs !== counts.pings)
    faults.push(`${counts.pongs} of ${counts.pings} pings of the server were answered`);
  if (counts.deleted !== 1) faults.push(`sessions were ended ${counts.deleted} times instead of once`);
  return faults;
}
