/** Why the store refused, as the journal has to act on it. Never carries recorded content. */
export type StoreFailure =
  /** Another process writes just now. */
  | "busy"
  /** The disk or a quota is full. */
  | "full"
  /** The file is damaged, or not a store. */
  | "corrupt"
  /** Written by a newer version of this program. */
  | "newer"
  /** The batch itself is not acceptable: trying it again cannot help. */
  | "rejected"
  /** Cannot be opened, read or written: permissions, a missing mount, an I/O error. */
  | "unavailable";

export class StoreError extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, detail: string) {
    super(detail);
    this.name = "StoreError";
    this.failure = failure;
  }
}

/** Reads what SQLite or the file system threw. */
export function storeError(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code = "", message = String(cause) } = cause as { code?: string; message?: string };
  return new StoreError(failureOf(code), code ? `${code}: ${message}` : message);
}

function failureOf(code: string): StoreFailure {
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return "busy";
  if (code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT") return "full";
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return "corrupt";
  return code === "" || REJECTED.test(code) ? "rejected" : "unavailable";
}

const REJECTED = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE|MISUSE|ERROR)/;
