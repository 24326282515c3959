import { carriedRun } from "../../core/export/carried-run.ts";
import { markdown } from "../../core/export/markdown.ts";
import { ndjson } from "../../core/export/ndjson.ts";
import { Problem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import type { PageFiles } from "../page/page-files.ts";
import { runPage } from "./run-page.ts";

/** A run as a document of its own, to hand on. */

export const EXPORT_FORMATS = ["html", "ndjson", "md"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportedRun {
  text: string;
  /** Media type. */
  type: string;
  /** A plain name for a file. */
  fileName: string;
  /** Payloads and notes that are in it with their beginning and end only, because of its size. */
  cutCount: number;
}

const TYPES: Record<ExportFormat, string> = {
  html: "text/html; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
  md: "text/markdown; charset=utf-8",
};

/** `page` is needed for `html` only: null where this program has none, which is a Problem then. `now`: epoch ms. */
export function exportedRun(run: Run, format: ExportFormat, page: PageFiles | null, now: number): ExportedRun {
  const about = { type: TYPES[format], fileName: `${plainName(run.id)}.${format}`, cutCount: 0 };
  if (format === "ndjson") return { ...about, text: ndjson(run) };
  if (format === "md") return { ...about, text: markdown(run) };
  if (page === null) {
    throw new Problem(
      "no-page",
      "this bir was started from its sources, and the page that goes into the file was never built",
      "Build it with `bun run build`, and use dist/bir.",
    );
  }
  const carried = carriedRun(run, now);
  return { ...about, text: runPage(carried, page), cutCount: carried.cutCount };
}

function plainName(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 80) || "run";
}
