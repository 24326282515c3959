import { EXIT } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { readTextIfThere } from "../../../kit/file-facts.ts";
import { receiptPath } from "../../../kit/paths.ts";
import { replacePrivateFile } from "../../../kit/private-files.ts";
import { asHomeProblem } from "../home-problem.ts";

/**
 * What the install scripts wrote down: what was put where, so that exactly that can be taken back. They read it again line by
 * line, so its layout, two spaces and one item a line, is a part of the format.
 */

export interface Receipt {
  format: 1;
  version: string;
  /** As in the executable's name in a release, e.g. `linux-x64-musl`. */
  target: string;
  /** Absolute. */
  executable: string;
  /** Of the executable, in hex. */
  sha256: string;
  /** Where it came from: a URL, or an absolute path of a folder. */
  baseUrl: string;
  /** Directories that were not there before, the outermost first. */
  madeDirectories: string[];
  /** Shells' settings that got a line; `HKCU\Environment` for the Path of a user of Windows. */
  pathFiles: string[];
  /** Those of them that were not there before. */
  pathFilesMade: string[];
  /** Those of them whose last line had no end and was given one. */
  pathFilesGivenLineEnd: string[];
}

const TEXTS = ["version", "target", "executable", "sha256", "baseUrl"] as const;
const LISTS = ["madeDirectories", "pathFiles", "pathFilesMade", "pathFilesGivenLineEnd"] as const;

/** Throws Problem when there is none, or none that can be read. */
export function readReceipt(home: string): Receipt {
  const path = receiptPath(home);
  const text = asHomeProblem(home, () => readTextIfThere(path));
  if (text === null) {
    throw new Problem(
      "not-installed",
      `this bir was not put here by its install script: there is no receipt ${path}`,
      "Remove or renew it the way you got it; if hosts start it, `bir uninstall --all` comes first.",
      EXIT.notSetUp,
    );
  }
  const receipt = parse(text);
  if (receipt !== null) return receipt;
  throw new Problem(
    "receipt-damaged",
    `the receipt ${path} is damaged`,
    "Run the install script again: it makes a new one.",
  );
}

export function writeReceipt(home: string, receipt: Receipt): void {
  asHomeProblem(home, () => replacePrivateFile(receiptPath(home), `${JSON.stringify(receipt, null, 2)}\n`));
}

function parse(text: string): Receipt | null {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || value.format !== 1) return null;
  const isWhole =
    TEXTS.every((name) => typeof value[name] === "string") &&
    LISTS.every((name) => Array.isArray(value[name]) && value[name].every((item) => typeof item === "string"));
  return isWhole ? (value as unknown as Receipt) : null;
}
