import { Connection } from "./connection.ts";
import { rowJson, runJson } from "./rows.ts";

/**
 * The load of `bench/ingest.ts`, in a process of its own. Gets a `Load` as its argument and prints a `Loaded`. Every connection
 * sends to a run of its own, one request at a time.
 */

export interface Load {
  port: number;
  token: string;
  /** Told apart from other loads of the same server. */
  name: string;
  connections: number;
  seconds: number;
  /** Rows of a request; 1 is a row by itself, not an array. */
  rows: number;
  /** Requests a second over all connections; 0: as many as it takes. */
  rate: number;
  /** Characters added to each row. */
  extra: number;
}

export interface Loaded {
  rowsPerSecond: number;
  /** Those of the time before measuring too. */
  allRows: number;
  refused: number;
  otherStatuses: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const WARM_UP_MS = 1000;

if (import.meta.main) console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? "{}") as Load)));

async function run(load: Load): Promise<Loaded> {
  const latencies: number[] = [];
  const statuses = new Map<number, number>();
  let rows = 0;
  let allRows = 0;
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => Connection.open(load.port, load.token)),
  );
  const runs = connections.map((_, n) => `run_${load.name}_${n}`);
  await Promise.all(connections.map((c, n) => c.request("POST", "/recordings/runs", runJson(runs[n] ?? ""))));
  const extra = load.extra > 0 ? `"extra":"${"x ".repeat(load.extra / 2)}",` : "";
  // What is compiled for the first time, here and there, is nobody's everyday.
  const begun = performance.now() + WARM_UP_MS;
  const until = begun + load.seconds * 1000;
  let due = 0;
  const one = async (connection: Connection, run: string): Promise<void> => {
    let n = 0;
    for (;;) {
      // Late requests are counted from when they were due: a server that stalls is not spared the wait that it causes.
      let from = performance.now();
      if (load.rate > 0) {
        const at = begun - WARM_UP_MS + (due++ * 1000) / load.rate;
        if (at > from) await Bun.sleep(at - from);
        from = Math.min(at, performance.now());
      }
      if (from >= until) return;
      const told = Array.from({ length: load.rows }, () => `{${extra}${rowJson(run, n++).slice(1)}`);
      const body = load.rows === 1 ? (told[0] ?? "") : `[${told.join(",")}]`;
      const status = await connection.request("POST", `/recordings/runs/${run}/steps`, body);
      if (status < 300) allRows += load.rows;
      if (from < begun) continue;
      latencies.push(performance.now() - from);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status < 300) rows += load.rows;
    }
  };
  await Promise.all(connections.map((connection, n) => one(connection, runs[n] ?? "")));
  const seconds = (performance.now() - begun) / 1000;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  const others = [...statuses].filter(([status]) => status >= 300 && status !== 503);
  return {
    rowsPerSecond: rows / seconds,
    allRows,
    refused: statuses.get(503) ?? 0,
    otherStatuses: Object.fromEntries(others),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: latencies.at(-1) ?? 0,
  };
}
