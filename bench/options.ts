import { parseArgs } from "node:util";

/** The command line of `bun run bench`. */

export const USAGE = `usage: bun run bench [--quick] [--rounds N] [--only NAME,…] [--figures NAME,…] [--sizes 200,10k,1m,20m]
       [--pin CPU|none] [--stdio pipe|socket] [--payload ascii|mixed] [--bir PATH] [--json FILE] [--keep]

  --quick     fewer rounds and calls: a first impression
  --rounds    rounds of each figure (5); starts are repeated five times as often
  --only      these subjects (direct always runs): bir, no-record, agent-recorder, mcp-time-travel, agentape, sdk-bridge
  --figures   these figures: start, calls, pipelined, memory, everything
  --sizes     sizes of an argument for the figure calls
  --pin       CPU that driver, proxy and server share (0); none: wherever the system puts them
  --stdio     what connects host and server: pipe, or socket as Node and Bun hosts do
  --payload   text of a call: ascii, or mixed with escapes and multi-byte characters
  --bir       the executable to measure (dist/bir)
  --json      also write every sample to FILE
  --keep      leave the recordings and the subjects' stderr in their temporary directory`;

const FIGURE_KINDS = ["start", "calls", "pipelined", "memory", "everything"] as const;
export type FigureKind = (typeof FIGURE_KINDS)[number];

export interface Options {
  quick: boolean;
  rounds: number;
  /** Names of subjects; empty: all. */
  only: string[];
  figures: FigureKind[];
  sizes: Size[];
  /** -1: not pinned. */
  pin: number;
  stdio: "pipe" | "socket";
  payload: "ascii" | "mixed";
  bir: string | undefined;
  json: string | undefined;
  keep: boolean;
}

interface Size {
  label: string;
  bytes: number;
}

/** Bad usage: the message is for a person. */
export class UsageError extends Error {}

/** Reads the arguments after the program's name. Throws a UsageError. */
export function parseOptions(args: string[]): Options {
  const { values } = readArguments(args);
  const quick = values.quick ?? false;
  return {
    quick,
    rounds: positive("--rounds", values.rounds ?? (quick ? "2" : "5")),
    only: list(values.only),
    figures: values.figures === undefined ? [...FIGURE_KINDS] : list(values.figures).map(figureKind),
    sizes: list(values.sizes ?? "200,10k,1m,20m").map(parseSize),
    pin: values.pin === "none" ? -1 : natural("--pin", values.pin ?? "0"),
    stdio: oneOf("--stdio", values.stdio ?? "pipe", ["pipe", "socket"]),
    payload: oneOf("--payload", values.payload ?? "ascii", ["ascii", "mixed"]),
    bir: values.bir,
    json: values.json,
    keep: values.keep ?? false,
  };
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: "boolean" },
        rounds: { type: "string" },
        only: { type: "string" },
        figures: { type: "string" },
        sizes: { type: "string" },
        pin: { type: "string" },
        stdio: { type: "string" },
        payload: { type: "string" },
        bir: { type: "string" },
        json: { type: "string" },
        keep: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** `200`, `10k`, `1m`: bytes in units of 1024. */
function parseSize(text: string): Size {
  const match = /^(\d+)([km]?)b?$/i.exec(text);
  if (!match?.[1]) throw new UsageError(`--sizes: '${text}' is not a size such as 200, 10k or 1m`);
  const unit = (match[2] ?? "").toLowerCase();
  const factor = unit === "m" ? 1024 * 1024 : unit === "k" ? 1024 : 1;
  const label = `${match[1]} ${unit === "m" ? "MB" : unit === "k" ? "KB" : "B"}`;
  return { label, bytes: Number(match[1]) * factor };
}

function list(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function figureKind(name: string): FigureKind {
  return oneOf("--figures", name, FIGURE_KINDS);
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new UsageError(`${option}: '${value}' is none of ${allowed.join(", ")}`);
  return found;
}

function natural(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${option}: '${text}' is not a number`);
  return Number(text);
}

function positive(option: string, text: string): number {
  const value = natural(option, text);
  if (value === 0) throw new UsageError(`${option} must be at least 1`);
  return value;
}
