import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import type { Run } from "../../../core/run.ts";
import { createPrivateFile, replacePrivateFile } from "../../../kit/private-files.ts";
import { systemCode, systemReason } from "../../../kit/system-reason.ts";
import type { CliContext } from "../context.ts";
import { markdown } from "../export/markdown.ts";
import { ndjson } from "../export/ndjson.ts";
import { visible } from "../text/visible.ts";
import { size } from "../text/when.ts";
import { withReader } from "../with-reader.ts";
import { readRun } from "./run-show.ts";

/** `bir run export [RUN]`: one run as a document for other programs or other people, to stdout or to a private file. */

type ExportFormat = "ndjson" | "md";

const EXPORTERS: Record<ExportFormat, (run: Run) => string> = { ndjson, md: markdown };

export interface ExportFlags {
  format: ExportFormat | undefined;
  output: string | undefined;
  force: boolean;
}

export async function runExport(context: CliContext, flags: ExportFlags, word: string | undefined): Promise<ExitCode> {
  const { output } = flags;
  const format = flags.format ?? (output?.endsWith(".md") ? "md" : "ndjson");
  const run = await withReader(context, async (reader) => readRun(reader, word ?? "latest"));
  const text = EXPORTERS[format](run);
  if (output === undefined) await context.print(text);
  else {
    writeTo(output, text, flags.force);
    await context.printError(`Wrote ${visible(output)} (${size(Buffer.byteLength(text))}).`);
  }
  return EXIT.ok;
}

function writeTo(path: string, text: string, force: boolean): void {
  try {
    if (force) replacePrivateFile(path, text);
    else createPrivateFile(path, text);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === null) throw cause;
    if (code === "EEXIST") {
      throw new Problem(
        "file-exists",
        `${visible(path)} exists already`,
        "Name another file, or write over it with --force.",
      );
    }
    throw new Problem(
      "cannot-write",
      `${visible(path)} cannot be written: ${systemReason(code)}`,
      "Name another file.",
    );
  }
}
