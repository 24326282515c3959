import type { HookAnswer, HookReport, HookRoute, SpooledReport } from "../core/control-wire.ts";
import type { ServerAddress } from "../kit/discovery.ts";
import { debug } from "../kit/log.ts";
import { type PostOutcome, postJson } from "../kit/loopback-post.ts";

/**
 * Brings one report to the control server, or leaves it where the next one finds it. Never waits longer than it says here, and
 * never throws: whether anything could be told or kept is no concern of the host's.
 */

/** How long a server may take to answer; after that the report is left in the spool (DEG-14). */
const ANSWER_MS = 150;
/** How long an agent's end waits for calls whose hooks are still on their way. */
const STRAGGLERS_MS = 200;
const ASK_AGAIN_MS = 40;

/** Statuses of a server that has read the report and does not want it: it would not want it later either. */
const REFUSALS: readonly number[] = [400, 413, 415, 422];

/** Tells `report` to the first of `servers` that is one of ours. Null where it was left, or refused. */
export async function deliver(
  servers: readonly ServerAddress[],
  route: HookRoute,
  report: HookReport,
  home: string,
): Promise<HookAnswer | null> {
  const end = performance.now() + ANSWER_MS;
  let isSomebodyThere = false;
  for (const [index, server] of servers.entries()) {
    // Its key is the first server's token, so the hash says nothing to another one.
    const json = JSON.stringify(index === 0 ? report : { ...report, argsHash: null });
    const outcome = await postJson(server, route, json, end - performance.now());
    debug("hooks", () => `${route} to port ${server.port}: ${describe(outcome)}`);
    const answer = answerIn(outcome);
    if (answer !== null) {
      const isOver = answer.stragglers === 0 || report.fact?.kind !== "stopped";
      return isOver ? answer : await untilNoStragglers(server, route, json, answer);
    }
    if (outcome.kind === "answered" && REFUSALS.includes(outcome.status)) return null;
    isSomebodyThere ||= outcome.kind === "silent" || (outcome.kind === "answered" && outcome.status >= 500);
  }
  await leave({ route, report: { ...report, argsHash: null, mayInject: false } }, home, isSomebodyThere);
  return null;
}

/** Asks again while calls of the session are still to be told of: as long as this hook runs, the host keeps theirs going. */
async function untilNoStragglers(
  server: ServerAddress,
  route: HookRoute,
  json: string,
  first: HookAnswer,
): Promise<HookAnswer> {
  const end = performance.now() + STRAGGLERS_MS;
  let answer = first;
  for (;;) {
    const left = end - performance.now();
    if (answer.stragglers === 0 || left <= 0) return answer;
    await Bun.sleep(Math.min(ASK_AGAIN_MS, left));
    const next = answerIn(await postJson(server, route, json, Math.max(ASK_AGAIN_MS, end - performance.now())));
    debug("hooks", () => `${next?.stragglers ?? "an unknown number of"} calls are still to be told of`);
    if (next === null) return answer;
    answer = next;
  }
}

async function leave(left: SpooledReport, home: string, isSomebodyThere: boolean): Promise<void> {
  const { appendToSpool } = await import("../kit/spool-writer.ts");
  const spooled = appendToSpool(`${JSON.stringify(left)}\n`, home);
  debug("hooks", () => `left in the spool: ${spooled}`);
  if (isSomebodyThere) return;
  const { startServer } = await import("../kit/start-server.ts");
  const started = startServer(home);
  debug("hooks", () => `start of a server: ${started}`);
}

/** The answer of a server of ours; null for anything else. */
function answerIn(outcome: PostOutcome): HookAnswer | null {
  if (outcome.kind !== "answered" || outcome.status !== 200) return null;
  try {
    const { stragglers, injectedId } = JSON.parse(outcome.body) as Partial<HookAnswer>;
    if (typeof stragglers !== "number") return null;
    return { stragglers, injectedId: typeof injectedId === "string" ? injectedId : null };
  } catch {
    return null;
  }
}

function describe(outcome: PostOutcome): string {
  return outcome.kind === "answered" ? String(outcome.status) : outcome.kind;
}
