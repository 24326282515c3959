import { type Options, parseOptions, UsageError } from "../options.ts";

/** The command line of `bun run bench:remote`: that of `bun run bench` with other subjects and fewer figures. */

export const USAGE = `usage: bun run bench:remote [--quick] [--rounds N] [--only NAME,…] [--figures NAME,…] [--sizes 200,10k,1m]
       [--pin CPU|none] [--stdio pipe|socket] [--payload ascii|mixed] [--bir PATH] [--json FILE] [--keep]

  --quick     fewer rounds and calls: a first impression
  --rounds    rounds of each figure (5); starts are repeated five times as often
  --only      these subjects (direct always runs): bir, no-record, mcp-remote, supergateway
  --figures   these figures: start, calls, pipelined, memory
  --sizes     sizes of an argument for the figure calls; the first is also answered as an event stream
  --pin       CPU that driver, proxy and server share (0); none: wherever the system puts them
  --stdio     what connects host and proxy: pipe, or socket as Node and Bun hosts do
  --payload   text of a call: ascii, or mixed with escapes and multi-byte characters
  --bir       the executable to measure (dist/bir)
  --json      also write every sample to FILE
  --keep      leave the recordings and the subjects' stderr in their temporary directory`;

const DEFAULTS = ["--sizes", "200,10k,1m", "--figures", "start,calls,pipelined,memory"];

/** Reads the arguments after the program's name. Throws a UsageError. */
export function parseRemoteOptions(args: string[]): Options {
  const options = parseOptions([...DEFAULTS, ...args]);
  if (options.figures.includes("everything")) {
    throw new UsageError("--figures: 'everything' is none of start, calls, pipelined, memory");
  }
  return options;
}
