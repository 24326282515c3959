import { cpus, release } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Sandbox } from "../test/harness/sandbox.ts";
import { claudeCode } from "../test/hosts/installed.ts";
import { measureReceiver } from "./hook-receiver.ts";
import { CALLS, HookSessions, type SessionCost, SHAPES, type Shape } from "./hook-sessions.ts";

/**
 * `bun run bench:hooks`: what recording adds to a built-in call of the real Claude Code, and what one hook takes by itself,
 * as Markdown. Ends with 1 when a call is missing in the recordings. How to read it is in README.md.
 */

const USAGE = `usage: bun run bench:hooks [--rounds N] [--receiver-rounds N] [--bir PATH]

  --rounds           rounds of sessions, with and without recording in each (8)
  --receiver-rounds  times that one hook is run by itself (200); 0: not at all
  --bir              the executable to measure (dist/bir)`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "8" },
      "receiver-rounds": { type: "string", default: "200" },
      bir: { type: "string", default: join(import.meta.dirname, "../dist/bir") },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const { lack } = claudeCode("2.1.332");
  if (lack !== undefined) {
    console.error(lack);
    return 3;
  }
  const bir = resolve(values.bir);
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "unknown CPU"}, Linux ${release()}; Claude Code 2.1.332.\n`);
  const lost = await benchSessions(bir, Number(values.rounds));
  if (Number(values["receiver-rounds"]) > 0) await benchReceiver(bir, Number(values["receiver-rounds"]));
  if (lost > 0) console.error(`FAULT ${lost} calls are missing in the recordings`);
  return lost > 0 ? 1 : 0;
}

async function benchSessions(bir: string, rounds: number): Promise<number> {
  const box = new Sandbox();
  const sessions = await HookSessions.start(box, bir);
  const costs = new Map<Shape, { plain: SessionCost; recorded: SessionCost }[]>(SHAPES.map((shape) => [shape, []]));
  try {
    // The first round warms up: files come into the cache, the control server starts.
    for (let round = -1; round < rounds; round++) {
      console.error(round < 0 ? "warming up…" : `round ${round + 1} of ${rounds}…`);
      for (const shape of SHAPES) {
        const first = await sessions.run(shape, round % 2 === 0);
        const second = await sessions.run(shape, round % 2 !== 0);
        const [plain, recorded] = round % 2 === 0 ? [second, first] : [first, second];
        if (round >= 0) costs.get(shape)?.push({ plain, recorded });
      }
    }
    const lost = await sessions.lost(bir);
    const rows = [...costs].flatMap(([shape, pairs]) => [
      row(
        `${shape}: ms a call`,
        pairs.map(({ plain, recorded }) => [plain.perCallMs, recorded.perCallMs]),
      ),
      row(
        `${shape}: ms the session of ${CALLS}`,
        pairs.map(({ plain, recorded }) => [plain.wallMs, recorded.wallMs]),
      ),
    ]);
    const header = [`${CALLS} Bash calls, ${rounds} rounds`, "without recording", "recorded", "added", "lost"];
    printTable(
      header,
      rows.map((cells) => [...cells, String(lost)]),
    );
    return lost;
  } finally {
    await sessions.close();
    await box.killSurvivors();
    await box.dispose(true);
  }
}

async function benchReceiver(bir: string, rounds: number): Promise<void> {
  const box = new Sandbox();
  try {
    console.error("one hook by itself…");
    const samples = measureReceiver(box, bir, rounds);
    printTable(
      [`from spawn to exit, ${rounds} times`, "ms"],
      [...samples].map(([name, values]) => [name, quartiles(values)]),
    );
  } finally {
    await box.killSurvivors();
    await box.dispose(true);
  }
}

/** Medians with quartiles: of the first of each pair, of the second, and of their difference. */
function row(title: string, pairs: [number, number][]): string[] {
  const firsts = pairs.map(([first]) => first);
  const seconds = pairs.map(([, second]) => second);
  const added = pairs.map(([first, second]) => second - first);
  return [title, quartiles(firsts), quartiles(seconds), quartiles(added)];
}

function quartiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = (sorted.length - 1) * share;
    const low = sorted[Math.floor(place)] ?? Number.NaN;
    return low + ((sorted[Math.ceil(place)] ?? low) - low) * (place % 1);
  };
  const [low, middle, high] = [at(0.25), at(0.5), at(0.75)].map((value) => value.toFixed(1));
  return `${middle} (${low} to ${high})`;
}

function printTable(header: string[], rows: string[][]): void {
  const table = [header, header.map(() => "---"), ...rows];
  console.log(`${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`);
}

process.exitCode = await main();
