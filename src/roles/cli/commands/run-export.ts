import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { counted, size } from "../../../core/text/when.ts";
import { createPrivateFile, replacePrivateFile } from "../../../kit/private-files.ts";
import { systemCode, systemReason } from "../../../kit/system-reason.ts";
import { type ExportFormat, exportedRun } from "../../../service/export/exported-run.ts";
import type { PageFiles } from "../../../service/page/page-files.ts";
import type { CliContext } from "../context.ts";
import { withReader } from "../with-reader.ts";
import { readRun } from "./run-show.ts";

/** `bir run export [RUN]`: one run as a document for other programs or other people, to stdout or to a private file. */

export interface ExportFlags {
  format: ExportFormat | undefined;
  output: string | undefined;
  force: boolean;
}

export async function runExport(context: CliContext, flags: ExportFlags, word: string | undefined): Promise<ExitCode> {
  const { output } = flags;
  const format = flags.format ?? formatOf(output);
  const run = await withReader(context, async (reader) => readRun(reader, word ?? "latest"));
  const page = format === "html" ? await builtPage() : null;
  const { text, cutCount } = exportedRun(run, format, page, context.now());
  if (output === undefined) await context.print(text);
  else {
    writeTo(output, text, flags.force);
    await context.printError(`Wrote ${visible(output)} (${size(Buffer.byteLength(text))}).`);
    await context.printError(
      "It holds the whole run as it was recorded; what was known as a secret is not in it. Look through it before you hand it on.",
    );
  }
  if (cutCount > 0) {
    const what = `${counted(cutCount, "payload is", "payloads are")} in it with the beginning and the end only`;
    await context.printError(`The run is too large for one file: ${what}. NDJSON holds all of it.`);
  }
  return EXIT.ok;
}

const FORMATS: Readonly<Record<string, ExportFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  md: "md",
  markdown: "md",
  html: "html",
  htm: "html",
};

/** As the file's name ends; a name without an ending says nothing. Throws a `Problem` where it is that of something else. */
function formatOf(output: string | undefined): ExportFormat {
  const [, ending] = /[^/\\]\.([^./\\]+)$/.exec(output ?? "") ?? [];
  if (ending === undefined) return "ndjson";
  const known = ending.toLowerCase();
  if (Object.hasOwn(FORMATS, known)) return FORMATS[known] ?? "ndjson";
  throw new Problem(
    "usage",
    `no format of an export is called .${visible(ending)}`,
    "Name the file .html, .md or .ndjson, or say which it is with --format.",
    EXIT.usage,
  );
}

/** Loaded only here: it brings the page with it. */
async function builtPage(): Promise<PageFiles | null> {
  // Where it cannot be loaded at all, nothing was bundled.
  const loaded = await import("../../viewer-page.ts").catch(() => null);
  return loaded === null ? null : await loaded.viewerPage();
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
