import { realpathSync } from "node:fs";
import { EXIT } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { fileFacts } from "../../../kit/file-facts.ts";
import { ownCommand } from "../../../kit/own-executable.ts";
import type { Receipt } from "./receipt.ts";

/** Whether the program that runs is the one that the receipt tells of: only that one may renew or remove itself. */

/** Throws Problem when the installed executable is there and another one than this. */
export function mustBeInstalled({ executable }: Receipt): void {
  if (fileFacts(executable) === null) return;
  const [own = "", ...rest] = ownCommand();
  if (rest.length === 0 && realPath(own) === realPath(executable)) return;
  throw new Problem(
    "other-executable",
    `the bir that is installed is another one than this: ${executable}`,
    `Run that one: \`${executable} self …\`.`,
    EXIT.usage,
  );
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
