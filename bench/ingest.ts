import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Load, Loaded } from "./ingest/driver.ts";

/**
 * `bun bench/ingest.ts`: how fast the recordings service takes rows of about 1 KB over loopback, one row a request and in arrays,
 * and how long one waits at half the rate that is asked of it. Beside `bir serve` it measures a server that does nothing, in the
 * same run. Driver and server are processes of their own and share the machine's cores. Ends with 1 where rows were lost.
 */

const USAGE = `usage: bun bench/ingest.ts [--seconds N] [--only nothing,recordings,serve] [--bir PATH]

  --seconds   how long each load lasts (5)
  --only      which servers: one that does nothing, the service's own code behind a minimal server, the executable's
  --bir       the executable (dist/bir)`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    only: { type: "string", default: "nothing,recordings,serve" },
    bir: { type: "string", default: join(import.meta.dirname, "../dist/bir") },
    help: { type: "boolean", default: false },
  },
});

interface Server {
  port: number;
  token: string;
  pid: number;
  stop(): Promise<void>;
}

const LOADS: readonly { title: string; load: Partial<Load> }[] = [
  { title: "one row a request, 1 connection", load: { connections: 1 } },
  { title: "one row a request, 16 connections", load: { connections: 16 } },
  { title: "one row a request, 2,500 a second", load: { connections: 64, rate: 2500 } },
  { title: "arrays of 100 rows, 4 connections", load: { connections: 4, rows: 100 } },
  { title: "flood: rows of 64 KB, 512 connections", load: { connections: 512, extra: 64 * 1024 } },
];

async function startServer(kind: string, directory: string): Promise<Server> {
  const script = join(import.meta.dirname, "ingest-server.ts");
  const isOurs = kind === "serve";
  const command = isOurs ? [values.bir, "serve", "--json", "--port", "0"] : [process.execPath, script, kind, directory];
  const env = { PATH: process.env.PATH ?? "", HOME: directory, BIR_HOME: directory };
  const child = Bun.spawn(command, { env, stdout: "pipe", stderr: "ignore", stdin: "ignore" });
  const said = await firstLine(child.stdout);
  const { port, token } = isOurs ? addressIn(said) : { port: Number(said), token: "none" };
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { port, token, pid: child.pid, stop };
}

function addressIn(json: string): { port: number; token: string } {
  const { url, tokenFile } = JSON.parse(json) as { url: string; tokenFile: string };
  const { token } = JSON.parse(readFileSync(tokenFile, "utf8")) as { token: string };
  return { port: Number(new URL(url).port), token };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n") && (!text.startsWith("{") || isWhole(text))) break;
  }
  return text;
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

async function drive(load: Load): Promise<Loaded> {
  const script = join(import.meta.dirname, "ingest/driver.ts");
  const driver = Bun.spawn([process.execPath, script, JSON.stringify(load)], { stdout: "pipe", stderr: "inherit" });
  return JSON.parse(await new Response(driver.stdout).text()) as Loaded;
}

/** Resident memory in MiB: now, and the most since `resetPeak`. */
function memory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

/** CPU time that a process has taken, in ms. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const TICK_MS = 10;

async function resetPeak(pid: number): Promise<void> {
  await Bun.write(`/proc/${pid}/clear_refs`, "5");
}

async function measure(kind: string): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "bir-ingest-"));
  const server = await startServer(kind, directory);
  let isSound = true;
  try {
    for (const [n, { title, load }] of LOADS.entries()) {
      await resetPeak(server.pid);
      const base = { connections: 16, rows: 1, rate: 0, extra: 0, seconds: Number(values.seconds) };
      const before = cpuMs(server.pid);
      const told = await drive({ ...base, ...load, port: server.port, token: server.token, name: String(n) });
      const { now, peak } = memory(server.pid);
      const others = Object.keys(told.otherStatuses).length > 0 ? ` ${JSON.stringify(told.otherStatuses)}` : "";
      if (others !== "") isSound = false;
      const cells = [
        kind,
        title,
        Math.round(told.rowsPerSecond).toLocaleString("en"),
        (((cpuMs(server.pid) - before) * 1000) / Math.max(1, told.allRows)).toFixed(0),
        told.p50Ms.toFixed(2),
        told.p99Ms.toFixed(2),
        told.maxMs.toFixed(1),
        String(told.refused) + others,
        `${now.toFixed(0)} / ${peak.toFixed(0)}`,
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  return isSound;
}

if (values.help) console.log(USAGE);
else if (process.platform !== "linux") console.error("this needs Linux: it reads /proc");
else {
  console.log(
    "| server | load | rows/s | CPU µs a row | p50 ms | p99 ms | max ms | refused (503) | RSS now / peak MiB |",
  );
  console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const kind of values.only.split(",")) {
    if (kind === "serve" && !existsSync(values.bir))
      console.error(`there is no ${values.bir}: \`bun run build\` makes it`);
    else if (!(await measure(kind))) process.exitCode = 1;
  }
}
