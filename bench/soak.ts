import { parseArgs } from "node:util";
import { Sandbox } from "../test/harness/sandbox.ts";
import { type MemorySample, soak } from "../test/process/soak-sessions.ts";

/**
 * `bun bench/soak.ts`: many sessions at once through one control server that is killed on the way. Prints how long it took,
 * how much memory the server used over time, and everything that is wrong with the recordings; ends with 1 if anything is.
 */

const USAGE = `usage: bun bench/soak.ts [--sessions N] [--prompts N] [--calls N] [--kills N] [--real-hook-every N]

  --sessions         at the same time (20)
  --prompts          of each session, one after the other (4)
  --calls            of each session, over all its prompts (200)
  --kills            of the control server, spread over the calls (10)
  --real-hook-every  one of so many hooks is a real process, the others are posted reports (10)`;

/** How many figures of memory are shown. */
const SHOWN = 12;
const MOST_FAULTS = 40;

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "20" },
    prompts: { type: "string", default: "4" },
    calls: { type: "string", default: "200" },
    kills: { type: "string", default: "10" },
    "real-hook-every": { type: "string", default: "10" },
    help: { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  const prompts = Number(values.prompts);
  const plan = {
    sessions: Number(values.sessions),
    prompts,
    callsPerPrompt: Math.round(Number(values.calls) / prompts),
    kills: Number(values.kills),
    realHookEvery: Number(values["real-hook-every"]),
  };
  const box = new Sandbox();
  try {
    const { wallMs, calls, kills, memory, faults } = await soak(box, plan);
    const seconds = wallMs / 1000;
    console.log(
      `${plan.sessions} sessions, ${calls} calls in ${seconds.toFixed(1)} s (${Math.round(calls / seconds)} a second), ` +
        `the control server killed ${kills} times: ${faults.length} faults.`,
    );
    console.log(memoryLines(memory).join("\n"));
    for (const fault of faults.slice(0, MOST_FAULTS)) console.error(`FAULT ${fault}`);
    if (faults.length > MOST_FAULTS) console.error(`… and ${faults.length - MOST_FAULTS} more`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await box.killSurvivors();
    await box.dispose(true);
  }
}

/** Resident memory of the server at even distances, and at the most. */
function memoryLines(memory: readonly MemorySample[]): string[] {
  const every = Math.max(1, Math.floor(memory.length / SHOWN));
  const shown = memory.filter((_, index) => index % every === 0 || index === memory.length - 1);
  const most = memory.reduce((high, { rssMib }) => Math.max(high, rssMib), 0);
  const rows = shown.map(({ atMs, pid, rssMib }) => `| ${(atMs / 1000).toFixed(1)} | ${pid} | ${rssMib.toFixed(1)} |`);
  return ["", "| s | pid | MiB resident |", "| --- | --- | --- |", ...rows, "", `At most ${most.toFixed(1)} MiB.`];
}

if (values.help) console.log(USAGE);
else process.exitCode = await main();
