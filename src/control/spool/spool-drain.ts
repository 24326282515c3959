import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import type { ServerLog } from "../../http-server/server-log.ts";
import { namesIn } from "../../kit/file-facts.ts";
import { joinPath, spoolDirectory } from "../../kit/paths.ts";
import { makePrivateDirectory } from "../../kit/private-files.ts";
import { NotTaken } from "../recorder.ts";
import { type FileLine, isSpoolFileName, SpoolFile } from "./spool-file.ts";
import { type LineTaker, momentOfLine } from "./spooled-line.ts";

/**
 * Takes up what hooks and proxies left in the spool while no server answered, in the order in which it was told. A file goes
 * only when all of it is committed; what cannot be read is kept beside it, under `unreadable/`. Costs next to nothing while
 * the spool is empty.
 */

/** What can still become a line is waited for so long. */
const UNREADABLE_AFTER_MS = 10_000;
/** A line on which the recorder fails so often is set aside, so that it is not tried for ever. */
const MAX_FAULTS = 3;
/** Requests get their turn after so much work. */
const SLICE_MS = 15;
/** A store that refuses is asked again after so long: twice as long each time. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

interface Waiting {
  file: SpoolFile;
  line: FileLine;
  at: number;
}

export class SpoolDrain {
  readonly #directory: string;
  readonly #taker: LineTaker;
  readonly #log: ServerLog;
  readonly #now: () => number;
  readonly #files = new Map<string, SpoolFile>();
  /** Text of a line → how often the recorder failed on it. */
  readonly #faults = new Map<string, number>();
  #running: Promise<number> | null = null;
  #sliceEnd = 0;
  #retryMs = 0;
  #notBefore = 0;

  /** `now` answers epoch ms. */
  constructor(home: string, taker: LineTaker, log: ServerLog, now: () => number = Date.now) {
    this.#directory = spoolDirectory(home);
    this.#taker = taker;
    this.#log = log;
    this.#now = now;
  }

  /** Takes up what is there; answers how many lines it settled. One pass at a time. Never throws. */
  async pass(): Promise<number> {
    this.#running ??= this.#pass()
      .catch((cause: unknown) => {
        this.#log.fault("reading the spool", cause);
        return 0;
      })
      .finally(() => {
        this.#running = null;
      });
    return await this.#running;
  }

  async #pass(): Promise<number> {
    if (performance.now() < this.#notBefore) return 0;
    const files = this.#look();
    if (files.length === 0) return 0;
    this.#sliceEnd = performance.now() + SLICE_MS;
    const waiting: Waiting[] = [];
    const unfinished = new Set<SpoolFile>();
    for (const file of files) {
      this.#guarded(file, () => waiting.push(...this.#read(file, unfinished)));
      await this.#breathe();
    }
    waiting.sort((a, b) => a.at - b.at);
    const settled = await this.#takeAll(waiting, unfinished);
    for (const file of files) if (!unfinished.has(file)) this.#guarded(file, () => this.#finish(file));
    return settled;
  }

  async #takeAll(waiting: readonly Waiting[], unfinished: Set<SpoolFile>): Promise<number> {
    let settled = 0;
    for (const [index, { file, line }] of waiting.entries()) {
      const taken = await this.#take(file, line);
      if (taken === "later") {
        // What follows must not get ahead of this one.
        for (const rest of waiting.slice(index)) unfinished.add(rest.file);
        this.#waitLonger();
        return settled;
      }
      if (taken === "settled") settled++;
      else unfinished.add(file);
      await this.#breathe();
    }
    this.#retryMs = 0;
    return settled;
  }

  /** Reading all that waits again and again would take much of a processor while the store refuses for hours. */
  #waitLonger(): void {
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs === 0 ? FIRST_RETRY_MS : this.#retryMs * 2);
    this.#notBefore = performance.now() + this.#retryMs;
  }

  /** The files that are there, known or new. */
  #look(): SpoolFile[] {
    const paths = namesIn(this.#directory)
      .filter(isSpoolFileName)
      .map((name) => joinPath(this.#directory, name));
    const there = new Set(paths);
    for (const path of this.#files.keys()) if (!there.has(path)) this.#files.delete(path);
    return paths.map((path) => {
      const file = this.#files.get(path) ?? new SpoolFile(path);
      this.#files.set(path, file);
      return file;
    });
  }

  #read(file: SpoolFile, unfinished: Set<SpoolFile>): Waiting[] {
    const waiting: Waiting[] = [];
    let latest = 0;
    for (const line of file.unsettledLines()) {
      const at = line.text === "" ? null : momentOfLine(line.text);
      const isOver = line.isWhole || file.isOlderThan(UNREADABLE_AFTER_MS, this.#now());
      if (at !== null && isOver) {
        // What one process wrote stays in its order, whatever its clock did.
        latest = Math.max(latest, at);
        waiting.push({ file, line, at: latest });
      } else if (line.text === "") file.settle(line);
      else if (!file.isOlderThan(UNREADABLE_AFTER_MS, this.#now()) || !this.#setAside(file, line)) unfinished.add(file);
    }
    return waiting;
  }

  async #take(file: SpoolFile, line: FileLine): Promise<"settled" | "later" | "failed"> {
    try {
      await this.#taker.take(line.text);
    } catch (cause) {
      if (cause instanceof NotTaken) return "later";
      this.#log.fault("taking up a spooled report", cause);
      const faults = (this.#faults.get(line.text) ?? 0) + 1;
      this.#faults.set(line.text, faults);
      if (faults < MAX_FAULTS || !this.#setAside(file, line)) return "failed";
    }
    this.#faults.delete(line.text);
    file.settle(line);
    return "settled";
  }

  /** Keeps a line that cannot be read where a person can look at it; false where the disk does not take it. */
  #setAside(file: SpoolFile, line: FileLine): boolean {
    try {
      const directory = joinPath(this.#directory, "unreadable");
      makePrivateDirectory(directory);
      appendFileSync(joinPath(directory, basename(file.path)), `${line.text}\n`, { mode: 0o600 });
    } catch (cause) {
      this.#log.fault("setting aside a spooled line", cause);
      return false;
    }
    file.settle(line);
    this.#log.say(`a line of ${basename(file.path)} could not be read: kept in spool/unreadable (DEG-16)`);
    return true;
  }

  #finish(file: SpoolFile): void {
    const before = file.path;
    const isGone = file.finish(this.#now());
    if (isGone || file.path !== before) this.#files.delete(before);
    if (!isGone) this.#files.set(file.path, file);
  }

  /** A file that went, or that may not be read, is no reason to leave the others. */
  #guarded(file: SpoolFile, work: () => unknown): void {
    try {
      work();
    } catch (cause) {
      if ((cause as { code?: string }).code !== "ENOENT") this.#log.fault("reading a spool file", cause);
      this.#files.delete(file.path);
    }
  }

  async #breathe(): Promise<void> {
    if (performance.now() < this.#sliceEnd) return;
    await Bun.sleep(0);
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
