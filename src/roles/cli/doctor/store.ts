import { counted, size } from "../../../core/text/when.ts";
import { fileFacts } from "../../../kit/file-facts.ts";
import { storePath } from "../../../kit/paths.ts";
import { withReader } from "../with-reader.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

/** Looking through a larger store would take longer than a person waits. */
const CHECKED_BYTES = 1024 * 1024 * 1024;

/** The store: it opens, its version is ours, and SQLite finds nothing wrong with it. */
export const store: DoctorCheck = {
  name: "store",
  run: ({ context }) =>
    withReader(context, async (reader): Promise<Finding[]> => {
      if (reader.version() === null) return [{ severity: "info", message: "nothing is recorded yet", hint: null }];
      const bytes = fileFacts(storePath(context.home))?.sizeBytes ?? 0;
      const { runs, steps } = reader.counts();
      const content = `${counted(runs, "run")}, ${counted(steps, "call")}, ${size(bytes)}`;
      if (bytes > CHECKED_BYTES) {
        return [
          { severity: "info", message: `the store opens (${content}); it is too large to look through`, hint: null },
        ];
      }
      const [flaw] = reader.flaws();
      if (flaw === undefined) return [ok(`the store is sound: ${content}`)];
      return [
        {
          severity: "error",
          message: `the store is damaged: ${flaw}`,
          hint: "Export the runs that matter (`bir run export`), then move the file away; the next recording begins a new one.",
        },
      ];
    }),
};
