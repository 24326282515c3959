import { fileFacts, isWritable, namesIn } from "../../../kit/file-facts.ts";
import { joinPath } from "../../../kit/paths.ts";
import { asHomeProblem } from "../home-problem.ts";
import { counted } from "../text/when.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

/** The home directory: there, writable, and closed to everybody else. */
export const home: DoctorCheck = {
  name: "home",
  run: ({ context }) => {
    const path = context.home;
    const facts = asHomeProblem(path, () => fileFacts(path));
    if (facts === null) {
      return [{ severity: "info", message: `${path} does not exist yet`, hint: "The first recording makes it." }];
    }
    if (!facts.isDirectory) {
      return [
        { severity: "error", message: `${path} is no directory`, hint: "Remove it, or set BIR_HOME to another one." },
      ];
    }
    if (!isWritable(path)) {
      return [
        { severity: "error", message: `${path} cannot be written`, hint: `Make it yours: chown "$(id -u)" '${path}'` },
      ];
    }
    const open = openToOthers(path);
    return open.length === 0 ? [ok(`${path} is private`)] : [openFinding(path, open)];
  },
};

/** The home and what is directly in it that others may read or write. */
function openToOthers(path: string): string[] {
  const all = [path, ...namesIn(path).map((name) => joinPath(path, name))];
  return all.filter((one) => ((fileFacts(one)?.mode ?? 0) & 0o077) !== 0);
}

function openFinding(path: string, open: string[]): Finding {
  const [first = path] = open;
  const others = open.length > 1 ? ` and ${counted(open.length - 1, "more file")}` : "";
  return {
    severity: "warning",
    message: `other users of this machine may open ${first}${others}`,
    hint: `Close it: chmod -R go-rwx '${path}'`,
  };
}
