import { dirname } from "node:path";
import { EXIT } from "../core/exit-codes.ts";
import { Problem } from "../core/problem.ts";
import { systemCode, systemReason } from "../kit/system-reason.ts";
import { recordingProblem } from "./recording-problem.ts";
import { type StoreFailure, storeError } from "./store-error.ts";

/**
 * What a person is told when the store cannot be read or changed: what happened, what becomes of the recordings, what
 * to do. Never quotes recorded content.
 */

type Sentence = { message: string; hint: string; exitCode: (typeof EXIT)[keyof typeof EXIT] };

const SENTENCES: Record<StoreFailure, (path: string, detail: string) => Sentence> = {
  newer: (path) => ({
    message: `${path} was written by a newer bir`,
    hint: "Update bir to read it; nothing in it was changed.",
    exitCode: EXIT.notSetUp,
  }),
  corrupt: (path) => ({
    message: `${path} is damaged or is not a store of recordings`,
    hint: `The next recording keeps it as ${path}.corrupt-<time> and begins a new store; SQLite's \`.recover\` may still get data out of it.`,
    exitCode: EXIT.failed,
  }),
  busy: (path) => ({
    message: `${path} is held by another process`,
    hint: "Try again in a moment; `bir status` shows which recordings are running.",
    exitCode: EXIT.failed,
  }),
  full: (path) => ({
    message: `the disk that holds ${path} is full`,
    hint: "Free some space and try again; nothing was changed.",
    exitCode: EXIT.failed,
  }),
  rejected: (path, detail) => ({
    message: `${path} did not take the change (${detail})`,
    hint: "Nothing was changed; `bir doctor` looks at the store.",
    exitCode: EXIT.failed,
  }),
  unavailable: (path, detail) => ({
    message: `${path} cannot be used: ${detail}`,
    hint: "`bir doctor` looks for the cause.",
    exitCode: EXIT.notSetUp,
  }),
};

/** What SQLite or the file system threw at `path`, as a Problem. A Problem stays what it is. */
function storeProblem(cause: unknown, path: string): Problem {
  if (cause instanceof Problem) return cause;
  const error = storeError(cause);
  if (error.failure === "unavailable") {
    const known = recordingProblem(dirname(path));
    if (known !== null) return known;
  }
  const { code } = cause as { code?: unknown };
  const detail = typeof code === "string" ? systemReason(code) : error.message;
  const { message, hint, exitCode } = SENTENCES[error.failure](path, detail);
  return new Problem(`store-${error.failure}`, message, hint, exitCode);
}

/** Runs `work`, turning what the store at `path` throws into a Problem; errors of our own code pass as they are. */
export function asStoreProblem<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (isStoreFault(cause)) throw storeProblem(cause, path);
    throw cause;
  }
}

function isStoreFault(cause: unknown): boolean {
  const { name } = cause as { name?: string };
  return name === "SQLiteError" || name === "StoreError" || systemCode(cause) !== null;
}
