import { join } from "node:path";
import type { FigureKind, Options } from "./options.ts";
import { findNode } from "./subjects.ts";

/** What is measured, and how much of it: one entry is one run of the driver. */

export interface Figure {
  /** Also a directory name. */
  id: string;
  title: string;
  kind: FigureKind;
  /** The driver's own name for the figure. */
  measure: "start" | "sequential" | "pipelined" | "memory";
  sizeBytes: number;
  rounds: number;
  calls: number;
  warmup: number;
  settleMs: number;
  server: string[];
  /** More lines of the driver's plan. */
  plan?: string[];
}

/** The figures of a run, in the order they are measured and shown. */
export function listFigures(options: Options, echo: string): Figure[] {
  const base = { server: [echo], rounds: options.rounds, sizeBytes: 200, settleMs: 200 };
  const all: Figure[] = [
    {
      ...base,
      id: "start",
      title: "start",
      kind: "start",
      measure: "start",
      rounds: options.rounds * 5,
      ...count(0, 0),
    },
    ...options.sizes.map(({ label, bytes }) => ({
      ...base,
      id: `calls-${bytes}`,
      title: label,
      kind: "calls" as const,
      measure: "sequential" as const,
      sizeBytes: bytes,
      ...callsFor(bytes, options.quick),
    })),
    {
      ...base,
      id: "burst",
      title: "64 in flight, 8,000 calls",
      kind: "pipelined",
      measure: "pipelined",
      ...count(8000, 4000),
    },
    {
      ...base,
      id: "sustained",
      title: "64 in flight, sustained",
      kind: "pipelined",
      measure: "pipelined",
      ...(options.quick ? count(30_000, 4000) : count(60_000, 4000)),
    },
    {
      ...base,
      id: "memory",
      title: "memory",
      kind: "memory",
      measure: "memory",
      rounds: Math.min(options.rounds, options.quick ? 1 : 3),
      settleMs: 400,
      ...count(0, 0),
    },
    {
      ...base,
      id: "everything",
      title: "server-everything, 200 B",
      kind: "everything",
      measure: "sequential",
      server: everything(),
      ...(options.quick ? count(400, 200) : count(1500, 500)),
    },
  ];
  return all.filter((figure) => options.figures.includes(figure.kind));
}

function count(calls: number, warmup: number): { calls: number; warmup: number } {
  return { calls, warmup };
}

/** Enough calls for a p99 where they are cheap, and long enough that work put off to later is paid within them. */
function callsFor(bytes: number, quick: boolean): { calls: number; warmup: number } {
  const [calls, warmup] =
    bytes <= 1000 ? [5000, 500] : bytes <= 65_536 ? [3000, 300] : bytes <= 4_194_304 ? [60, 10] : [6, 2];
  return quick ? count(Math.max(4, Math.ceil(calls / 4)), Math.max(2, Math.ceil(warmup / 2))) : count(calls, warmup);
}

/** The reference server, with real Node where there is one. */
function everything(): string[] {
  const entry = join(import.meta.dirname, "../node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  return [findNode() ?? process.execPath, entry, "stdio"];
}
