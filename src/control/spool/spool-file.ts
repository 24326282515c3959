import { readFileSync, renameSync, statSync } from "node:fs";
import { basename } from "node:path";
import { removeFile } from "../../kit/private-files.ts";
import { isPidInUse, processStartedAt } from "../../kit/process-identity.ts";

/**
 * One file of the spool as the server knows it: which of its lines need nothing more, and when it may go. A process that is
 * still there may have opened its file and not yet written to it, so such a file is moved aside first, where the process does
 * not find it again, and goes after a while without news. Never removes a line that was not settled.
 */

/** What is waiting, and what was moved aside: `<boot>-<pid>.ndjson`, `<boot>-<pid>.<epoch ms>.taken`. */
const FILE_NAME = /^([0-9a-f]+)-(\d+)(\.\d+\.taken|\.ndjson)$/;

/** How long a file that was moved aside may still get a line. */
const GRACE_MS = 10_000;
const LINE_FEED = 0x0a;

export interface FileLine {
  /** Where it begins, in bytes. */
  start: number;
  text: string;
  /** Its line feed is there. */
  isWhole: boolean;
}

export function isSpoolFileName(name: string): boolean {
  return FILE_NAME.test(name);
}

export class SpoolFile {
  #path: string;
  /** Where the lines begin that are committed, or set aside. */
  readonly #settled = new Set<number>();
  #readBytes = 0;
  #isSettled = false;
  #movedAt: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  /** The lines that wait, as far as the file has come. None where it has not changed since all of it was settled. */
  unsettledLines(): FileLine[] {
    if (this.#isSettled && this.#size() === this.#readBytes) return [];
    const bytes = readFileSync(this.#path);
    this.#readBytes = bytes.length;
    this.#isSettled = false;
    return linesOf(bytes).filter(({ start }) => !this.#settled.has(start));
  }

  /** A line needs nothing more. */
  settle({ start }: FileLine): void {
    this.#settled.add(start);
  }

  /** Whether nothing has been written to it for so long, by a clock of epoch ms. */
  isOlderThan(ms: number, now: number): boolean {
    return now - statSync(this.#path).mtimeMs > ms;
  }

  /** Every line that was read is settled: true when the file is gone with that. `now` is epoch ms. */
  finish(now: number): boolean {
    this.#isSettled = true;
    if (this.#size() !== this.#readBytes) return false;
    if (!this.#isWriterThere() || (this.#movedAt !== null && now - this.#movedAt > GRACE_MS)) {
      removeFile(this.#path);
      return true;
    }
    if (this.#movedAt === null) {
      const aside = this.#path.replace(/(?:\.\d+\.taken|\.ndjson)$/, `.${Math.trunc(now)}.taken`);
      renameSync(this.#path, aside);
      this.#path = aside;
      this.#movedAt = now;
    }
    return false;
  }

  #size(): number {
    return statSync(this.#path).size;
  }

  #isWriterThere(): boolean {
    const [, boot, pid] = FILE_NAME.exec(basename(this.#path)) ?? [];
    return boot === ownBoot() && isPidInUse(Number(pid));
  }
}

let boot: string | undefined;

/** As it stands in the names of files: what of a process's start time says in which run of the system that was. */
function ownBoot(): string {
  boot ??= process.platform === "linux" ? (processStartedAt(process.pid)?.split("/")[0] ?? "0") : "0";
  return boot;
}

function linesOf(bytes: Buffer): FileLine[] {
  const lines: FileLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed < 0 ? bytes.length : feed;
    lines.push({ start, text: bytes.toString("utf8", start, end), isWhole: feed >= 0 });
    start = end + 1;
  }
  return lines;
}
