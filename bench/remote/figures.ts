import { type Figure, listFigures } from "../figures.ts";
import type { Options } from "../options.ts";
import type { EchoServer } from "./echo-server.ts";

/** What is measured of what stands in front of a remote server: the figures of `bun run bench` at its address. */

/** Large messages stop at 1 MB: peers built on the official SDK refuse more than 10 MB over stdio. */
const PLAN = ["protocol 2025-11-25", "huge_calls 0"];
/** Memory is told after so many calls, however long they take. */
const MEMORY_PLAN = [...PLAN, "block_ms 20000"];

/** The figures of a run, in the order they are measured and shown. */
export function listRemoteFigures(options: Options, server: EchoServer): Figure[] {
  const figures = listFigures(options, "").map((figure) => {
    return { ...figure, server: [server.jsonUrl], plan: figure.kind === "memory" ? MEMORY_PLAN : PLAN };
  });
  const small = figures.findIndex(({ kind }) => kind === "calls");
  const json = figures[small];
  if (json === undefined) return figures;
  const stream = { ...json, id: `stream-${json.sizeBytes}`, title: `${json.title}, SSE`, server: [server.streamUrl] };
  return figures.toSpliced(small + 1, 0, stream);
}
