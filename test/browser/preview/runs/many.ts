import type { RunStatus } from "../../../../src/core/run.ts";
import { RunScript, textResult } from "../run-script.ts";

/** Many runs, and one of many steps: what lists and axes have to bear. The same each time. */

const PROMPTS = [
  "Find out why the nightly build takes twice as long since last week",
  "Write tests for the parser of the import files",
  "Rename `Station` to `Site` everywhere, also in the docs",
  "Which of our endpoints answer without a token?",
  "Update the dependencies and tell me what broke",
  "Summarise the open issues and group them by what they are about",
  "Make the map load faster on phones",
  "Translate the messages of the sign-up form into Portuguese",
  "Draw up a migration from the old queue to the new one",
  "Is anything in the logs of yesterday that we should look at?",
];
const HOSTS = [
  { app: "claude-code", version: "2.1.332" },
  { app: "cursor", version: "2.4.1" },
  { app: "codex", version: "0.61.0" },
  { app: "zed", version: null },
];
const TOOLS = [
  ["github", "search_code"],
  ["files", "read_file"],
  ["postgres", "query"],
  ["browser", "navigate"],
  ["linear", "list_issues"],
] as const;
const STATUSES: RunStatus[] = [
  "completed",
  "completed",
  "completed",
  "completed",
  "failed",
  "interrupted",
  "abandoned",
];

/** The n-th of many runs, each a little older than the one before. */
export function smallRun(n: number, newest: number): RunScript {
  const random = randomFrom(n + 1);
  const host = HOSTS[Math.floor(random() * HOSTS.length)] ?? null;
  const startedAt = newest - n * 1_700_000 - Math.floor(random() * 900_000);
  const isUnbound = n % 11 === 5;
  const run = new RunScript({
    id: `run_${String(n).padStart(5, "0")}`,
    startedAt,
    host: n % 41 === 17 ? null : host,
    cwd: ["/home/ana/projects/weather-service", "/home/ana/projects/map", "/srv/imports"][n % 3] ?? "/",
    servers: isUnbound ? ["github"] : ["github", "files"],
    tier: isUnbound ? "standalone" : "bound",
    prompt: isUnbound
      ? null
      : `${PROMPTS[n % PROMPTS.length]}${n % 4 === 0 ? `, and keep to the style of the rest (${n})` : ""}`,
  });
  const calls = 1 + Math.floor(random() * 7);
  for (let call = 0; call < calls; call++) {
    const [server, tool] = TOOLS[Math.floor(random() * TOOLS.length)] ?? TOOLS[0];
    const failed = random() < 0.08;
    run.wait(Math.floor(random() * 4000));
    run.call({
      server,
      tool,
      args: { q: `forecast ${call}`, limit: 10 },
      tookMs: Math.floor(random() * 2500),
      ...(failed ? { error: "HTTP 503 from upstream" } : { result: textResult(`found ${call} of forecast`) }),
    });
  }
  if (n % 29 === 3) run.gap("unreadable-message", 1);
  return run.answer("Done.").close(STATUSES[n % STATUSES.length] ?? "completed");
}

/** One run of many steps, some at once, some of subagents, one in twenty failing. */
export function longRun(steps: number, endedAt: number): RunScript {
  const random = randomFrom(7);
  const run = new RunScript({
    id: `run_${steps}`,
    startedAt: endedAt - steps * 700,
    prompt: `Go through all ${steps} records and check each of them`,
  });
  for (let n = 0; n < steps; n++) {
    if (n % 50 === 0) run.note("thought", `Batch ${n / 50 + 1}: the next fifty.`);
    const [server, tool] = TOOLS[n % TOOLS.length] ?? TOOLS[0];
    const call = {
      server,
      tool,
      args: { record: n, note: "x".repeat(n % 90) },
      agent: n % 250 > 230 ? `agent_${Math.floor(n / 250)}` : null,
    };
    const failed = n % 20 === 19;
    run.wait(Math.floor(random() * 200));
    run.call({
      ...call,
      tookMs: Math.floor(random() ** 4 * 6000),
      ...(failed ? { error: `record ${n} is not valid` } : { result: textResult(`record ${n} is valid`) }),
    });
  }
  return run.answer("All checked.").close("completed");
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}
