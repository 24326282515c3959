import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../test/harness/sandbox.ts";

/**
 * How long one hook takes by itself: from spawning `bir hooks` with a hook's JSON on its stdin to its end, a live control
 * server beside it; and the same of a program by the same runtime that only says hello, which no program can go below.
 */

const OUTPUT = join(import.meta.dirname, "..", ".cache", "bench");
const WARM_UP = 10;

/** What is run, by name; each gives samples in milliseconds, taken in turns. */
export type ReceiverSamples = Map<string, number[]>;

export function measureReceiver(box: Sandbox, bir: string, rounds: number): ReceiverSamples {
  const env = box.env();
  const up = Bun.spawnSync([bir, "up"], { env, cwd: box.cwd });
  if (!up.success) throw new Error(`bir up: ${up.stderr.toString()}`);
  const subjects: [string, string[], Record<string, string>][] = [
    ["hello world, the same runtime", [buildHello()], env],
    // As its own command in the settings starts it.
    ["bir hooks", [bir, "hooks"], { ...env, BUN_JSC_useJIT: "0" }],
    ["the hook's whole command, by sh", ["sh", "-c", hookCommand(bir, env)], env],
  ];
  const samples: ReceiverSamples = new Map(subjects.map(([name]) => [name, []]));
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [name, command, environment] of subjects) {
      const ms = timed(command, hookText(box, `${name.length}_${round + WARM_UP}`), environment, box.cwd);
      if (round >= 0) samples.get(name)?.push(ms);
    }
  }
  Bun.spawnSync([bir, "down"], { env });
  return samples;
}

/** The command that runs after a call of a tool. */
function hookCommand(bir: string, env: Record<string, string>): string {
  const printed = Bun.spawnSync([bir, "hooks", "print-settings"], { env });
  return JSON.parse(printed.stdout.toString()).hooks.PostToolUse[0].hooks[0].command;
}

function timed(command: string[], stdin: string, env: Record<string, string>, cwd: string): number {
  const begun = performance.now();
  const { exitCode } = Bun.spawnSync(command, {
    env,
    cwd,
    stdin: Buffer.from(stdin),
    stdout: "ignore",
    stderr: "ignore",
  });
  const took = performance.now() - begun;
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}`);
  return took;
}

/** What the host tells of a shell command that has ended. */
function hookText(box: Sandbox, id: string): string {
  const hook = {
    session_id: "5e551040-0000-4000-8000-000000000001",
    transcript_path: join(box.home, "none.jsonl"),
    cwd: box.cwd,
    prompt_id: "9a0a0000-0000-4000-8000-000000000001",
    permission_mode: "default",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "true", description: "Does nothing" },
    tool_response: { stdout: "", stderr: "", interrupted: false, isImage: false },
    tool_use_id: `toolu_bench_${id}`,
    duration_ms: 3,
  };
  return JSON.stringify(hook);
}

function buildHello(): string {
  mkdirSync(OUTPUT, { recursive: true });
  const source = join(OUTPUT, "hello.ts");
  const program = join(OUTPUT, "hello");
  writeFileSync(source, 'console.log("hello");\n');
  const flags = ["--compile", "--bytecode", "--minify", "--format=esm"];
  const built = Bun.spawnSync([process.execPath, "build", ...flags, source, "--outfile", program], { cwd: OUTPUT });
  if (!built.success) throw new Error(`hello could not be built:\n${built.stderr.toString()}`);
  return program;
}
