import { counted, size } from "../../../core/text/when.ts";
import { fileFacts, namesIn } from "../../../kit/file-facts.ts";
import { joinPath } from "../../../kit/paths.ts";
import { type DoctorCheck, ok } from "./check.ts";

/** Stores that were damaged and set aside: they hold recordings and take room. */
export const damagedStores: DoctorCheck = {
  name: "damaged-stores",
  run: ({ context: { home } }) => {
    const left = namesIn(home).filter((name) => name.startsWith("recordings.db.corrupt-"));
    if (left.length === 0) return [ok("no damaged store was set aside")];
    const bytes = left.reduce((sum, name) => sum + (fileFacts(joinPath(home, name))?.sizeBytes ?? 0), 0);
    return [
      {
        severity: "warning",
        message: `${counted(left.length, "file")} of a damaged store (${size(bytes)}) in ${home}: ${left.join(", ")}`,
        hint: "SQLite's `.recover` may still get runs out of them; remove them when they are of no use.",
      },
    ];
  },
};
