import { copyFileSync } from "node:fs";
import { Problem } from "../../../core/problem.ts";
import { fileSha256 } from "../../../kit/file-digest.ts";
import { readTextIfThere } from "../../../kit/file-facts.ts";
import { systemCode, systemReason } from "../../../kit/system-reason.ts";
import { sumOf } from "./checksums.ts";
import { Downloads } from "./downloads.ts";
import { type ReleaseSource, SUMS_FILE } from "./release-source.ts";

/** The files of one release, wherever it lies: its checksums, and an executable that is what they say. */

const MAX_SUMS_BYTES = 64 * 1024;

export interface ReleaseFiles {
  /** The SHA-256 that an executable must have. Throws Problem. */
  expectedSum(file: string): Promise<string>;
  /** Copies an executable to `path`, where nothing is yet. Throws Problem, also when it has not the SHA-256 `sum`. */
  take(file: string, path: string, sum: string): Promise<void>;
  close(): void;
}

export function openRelease(source: ReleaseSource, timeoutMs: number, warn: (line: string) => void): ReleaseFiles {
  const { base } = source;
  const downloads = source.kind === "url" ? new Downloads(timeoutMs, warn) : null;
  const sums = downloads === null ? folderText(base) : downloads.text(`${base}/${SUMS_FILE}`, MAX_SUMS_BYTES);
  sums.catch(() => {});
  return {
    expectedSum: async (file) => {
      const found = sumOf(await sums, file);
      if (found !== null) return found;
      throw new Problem(
        "not-in-release",
        `${SUMS_FILE} in ${base} does not name ${file}`,
        "Another release may have it.",
      );
    },
    take: async (file, path, sum) => {
      const found = await (downloads === null
        ? copied(`${base}/${file}`, path)
        : downloads.file(`${base}/${file}`, path));
      if (found !== sum) throw wrongSum(file, base);
    },
    close: () => downloads?.close(),
  };
}

async function folderText(folder: string): Promise<string> {
  const path = `${folder}/${SUMS_FILE}`;
  try {
    const text = readTextIfThere(path);
    if (text !== null) return text;
  } catch (cause) {
    throw unreadable(path, cause);
  }
  throw new Problem(
    "no-release",
    `there is no ${SUMS_FILE} in ${folder}`,
    "Set BIR_BASE_URL to the folder of a release.",
  );
}

/** The sum is of the copy: what is changed in the folder meanwhile is not taken. */
async function copied(from: string, to: string): Promise<string> {
  try {
    copyFileSync(from, to);
    return fileSha256(to);
  } catch (cause) {
    throw unreadable(from, cause);
  }
}

function unreadable(path: string, cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === null) return cause;
  return new Problem(
    "release-unreadable",
    `${path} could not be copied: ${systemReason(code)}`,
    "Put that right and try again.",
  );
}

function wrongSum(file: string, base: string): Problem {
  return new Problem(
    "wrong-checksum",
    `${file} of ${base} has another checksum than ${SUMS_FILE} says`,
    "It is not installed, what was here is as it was. Try again, then tell who gave it to you.",
  );
}
