import { counted } from "../../core/text/when.ts";
import type { FileSource } from "../data/file-source.ts";
import type { Source } from "../data/source.ts";
import { exactDate } from "../ui/time.ts";

/** When a saved run was saved, and what is not whole in its file. */
export function SavedNote({ source }: { source: Source }) {
  if (!isFile(source)) return null;
  const { savedAt, cutCount, run } = source.carried;
  return (
    <aside class={`saved-note${cutCount > 0 ? " warn" : ""}`} aria-label="About this file">
      Saved {exactDate(savedAt).split(".")[0]}
      {run.status === "running" && ", while it was running"}.
      {cutCount > 0 &&
        ` The run was too large for one file: of ${counted(cutCount, "payload")} only the beginning and the end are here.`}
    </aside>
  );
}

function isFile(source: Source): source is FileSource {
  return source.kind === "file" && "carried" in source;
}
