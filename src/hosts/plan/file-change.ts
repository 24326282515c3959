import { dirname } from "node:path";
import { Problem } from "../../core/problem.ts";
import type { Ledger } from "../ledger.ts";
import {
  type FileState,
  makeDirectories,
  removeEmptyDirectories,
  removeState,
  replaceState,
  tidyBeside,
} from "../safe-write.ts";
import type { FilePlan, FileResult, FileTask, Outcome } from "./outcome.ts";
import { readSettled } from "./settled-read.ts";

/**
 * One file on its way from what it is to what was planned, while others may be writing it: it is planned again from whatever it
 * has become, until there is nothing more to do. The ledger says what is about to be changed before it is: whenever this ends,
 * and however, both install and uninstall still find their way back to the text that was there.
 */

/** How long a file is planned again because somebody else was faster. */
const MOST_MS = 20_000;
const MOST_PAUSE_MS = 10;

export class FileChange {
  readonly #task: FileTask;
  readonly #ledger: Ledger;
  #madeDirectories: string[] = [];
  #isMade = false;
  /** What was done by what has been written. */
  #done: Outcome[] = [];

  constructor(task: FileTask, ledger: Ledger) {
    this.#task = task;
    this.#ledger = ledger;
  }

  /** True once the file holds something of ours, or has been rid of it. */
  isMade(): boolean {
    return this.#isMade;
  }

  /** Throws a `Problem`; the file is then as it was, or as the last other program has left it. */
  async make(): Promise<FileResult> {
    const { file, format } = this.#task;
    const endAt = performance.now() + MOST_MS;
    tidyBeside(file);
    try {
      for (let attempt = 0; performance.now() < endAt; attempt++) {
        const { state, document } = await readSettled(file, format);
        const plan = this.#task.plan(document, this.#ledger.of(file));
        if (plan.after === (state.bytes === null ? null : state.text)) return this.#finish(plan);
        this.#ledger.announce(plan.rows);
        this.#ledger.save();
        if (!this.#write(state, plan)) await Bun.sleep(Math.random() * Math.min(attempt, MOST_PAUSE_MS));
      }
    } catch (cause) {
      this.#giveUp();
      throw cause;
    }
    this.#giveUp();
    throw new Problem(
      "config-busy",
      `${file} is being changed by another program again and again`,
      "Close the host that writes it, then run the command again.",
    );
  }

  #finish(plan: FilePlan): FileResult {
    this.#ledger.confirm(plan.rows);
    this.#ledger.retire(plan.retire, !this.#isMade);
    this.#ledger.save();
    if (plan.after === null) removeEmptyDirectories(plan.directories ?? []);
    return { file: this.#task.file, outcomes: merged(this.#done, plan.outcomes), wrote: this.#isMade, problem: null };
  }

  /** One attempt; false when somebody else was faster. */
  #write(state: FileState, plan: FilePlan): boolean {
    if (plan.after !== null && state.bytes === null) {
      this.#madeDirectories.push(...makeDirectories(dirname(state.target)));
    }
    const written = plan.after === null ? removeState(state) : replaceState(state, plan.after);
    if (written === "changed") return false;
    this.#isMade = true;
    this.#done = merged(this.#done, plan.outcomes);
    return true;
  }

  #giveUp(): void {
    if (!this.#isMade) removeEmptyDirectories(this.#madeDirectories.reverse());
  }
}

/** What was done counts; a later look at the same server only finds it done, or nothing any more. */
function merged(done: readonly Outcome[], now: readonly Outcome[]): Outcome[] {
  const rest = done.filter((one) => !now.some((other) => isSame(one, other)));
  const seen = now.map((outcome) => {
    if (outcome.what !== "already" && outcome.what !== "gone") return outcome;
    return done.find((one) => isSame(one, outcome)) ?? outcome;
  });
  return [...seen, ...rest];
}

function isSame(a: Outcome, b: Outcome): boolean {
  return (
    a.server === b.server && a.scope === b.scope && a.directory === b.directory && a.hosts.join() === b.hosts.join()
  );
}
