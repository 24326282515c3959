import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { ownCommand } from "./own-executable.ts";

/** This program as other programs' settings name it: by a path that is still right after an update. */

/** As `ownCommand`, by the name on the PATH where that leads to this very file: an update may put the file elsewhere. */
export function lastingCommand(): [string, ...string[]] {
  const [executable = process.execPath, ...rest] = ownCommand();
  const found = rest.length > 0 ? null : Bun.which("bir");
  if (found === null || !isAbsolute(found)) return [executable, ...rest];
  try {
    return [realpathSync(found) === realpathSync(executable) ? found : executable];
  } catch {
    return [executable];
  }
}
