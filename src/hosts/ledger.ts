import { readFileSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { Problem } from "../core/problem.ts";
import { birHome, joinPath } from "../kit/paths.ts";
import { makePrivateDirectory } from "../kit/private-files.ts";
import { removeLeftBeside, syncDirectory, writeBeside } from "../kit/replace-file.ts";
import { systemCode, systemReason } from "../kit/system-reason.ts";
import type { ConfigFormatId, ConfigPath } from "./edit/config-text.ts";
import type { MadeLists } from "./entry/hooks-text.ts";
import type { Undo } from "./entry/undo.ts";
import type { Made } from "./entry/wrap-order.ts";
import type { EntryShape, Scope } from "./host.ts";

/**
 * What was changed in which file, so that it can be taken back: `$BIR_HOME/installed.json`, for its owner alone. Holds names,
 * places and frames, never a value of an entry. A row is written before its file is (`pending`), so that whenever this process
 * ends there is a row for every change that was made; a row for one that was not made does no harm.
 */

export type LedgerRow = EntryRow | HooksRow | AddedRow;

interface RowPlace {
  /** Ids of the hosts that read the file. */
  hosts: string[];
  scope: Scope;
  directory: string | null;
  /** As the host names it; links are followed when it is read. */
  file: string;
  format: ConfigFormatId;
  /** The object or array that it is in. */
  path: ConfigPath;
  /** The server's; empty where there is none. */
  name: string;
  /**
   * `pending`: about to be written. `undone`: taken back; kept until the next uninstall finds it still so, because a host that
   * had read the file before may write the entry once more.
   */
  state: "pending" | "written" | "undone";
  /** Null where the exact text cannot be given back, only what is ours be taken out. */
  undo: Undo | null;
}

/** A server's entry that was wrapped. */
export interface EntryRow extends RowPlace {
  kind: "entry";
  shape: EntryShape;
  /** How the executable was started. */
  executableWords: string[];
  made: Made;
}

/** Hooks that were put into settings. */
export interface HooksRow extends RowPlace {
  kind: "hooks";
  made: MadeHooks;
}

export interface MadeHooks extends MadeLists {
  /** The file itself, and directories above it from the nearest on. */
  file: boolean;
  directories: string[];
}

/** A member that was added, such as a wrapped copy of an entry in a scope that wins. */
export interface AddedRow extends RowPlace {
  kind: "added";
  /** Objects that were made for it, the outermost first. */
  made: ConfigPath[];
}

/** Where recording was set up: an entry for the whole user records there, and in every directory below. */
export interface SetUp {
  everywhere: boolean;
  directories: readonly string[];
}

const NOWHERE: SetUp = { everywhere: false, directories: [] };

const VERSION = 1;

export function ledgerPath(home = birHome()): string {
  return joinPath(home, "installed.json");
}

/** What tells rows apart: there may be two for one place while a change is under way. */
export function rowKey(row: Pick<LedgerRow, "kind" | "file" | "path" | "name">): string {
  return JSON.stringify([row.kind, row.file, row.path, row.name]);
}

export class Ledger {
  readonly #path: string;
  #rows: LedgerRow[];
  #setUp: SetUp;
  #saved: string;

  private constructor(path: string, { rows, setUp }: Content, saved: string) {
    this.#path = path;
    this.#rows = rows;
    this.#setUp = setUp;
    this.#saved = saved;
  }

  /** Empty where there is no file. Throws a `Problem` for one that cannot be read or is not a ledger. */
  static read(path = ledgerPath()): Ledger {
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch (cause) {
      const code = systemCode(cause);
      if (code === "ENOENT" || code === "ENOTDIR") return new Ledger(path, { rows: [], setUp: NOWHERE }, "");
      throw new Problem("ledger-unreadable", `cannot read ${path}: ${systemReason(code ?? String(cause))}`, READ_HINT);
    }
    const content = parseContent(text);
    if (content === null) {
      throw new Problem("ledger-damaged", `${path} is not a list of what was installed`, DAMAGED_HINT);
    }
    return new Ledger(path, content, text);
  }

  get rows(): readonly LedgerRow[] {
    return this.#rows;
  }

  /** Whether anything of ours is still in a file. */
  get isInUse(): boolean {
    return this.#rows.some((row) => row.state !== "undone");
  }

  get setUp(): SetUp {
    return this.#setUp;
  }

  /** Kept with the rows: where nothing was changed in any file, nothing is set up. */
  set setUp(setUp: SetUp) {
    this.#setUp = setUp;
  }

  /** Rows of one file. */
  of(file: string): LedgerRow[] {
    return this.#rows.filter((row) => row.file === file);
  }

  /** Adds rows of changes that are about to be made; what was there for the same place stays until they are made. */
  announce(rows: readonly LedgerRow[]): void {
    const known = new Set(this.#rows.map(identity));
    const added = rows
      .map((row): LedgerRow => ({ ...row, state: "pending" }))
      .filter((row) => !known.has(identity(row)));
    this.#rows = [...this.#rows, ...added];
  }

  /** The changes were made: each row is now the only one for its place. */
  confirm(rows: readonly LedgerRow[]): void {
    const places = new Set(rows.map(rowKey));
    const others = this.#rows.filter((row) => !places.has(rowKey(row)));
    this.#rows = [...others, ...rows.map((row): LedgerRow => ({ ...row, state: "written" }))];
  }

  /** Nothing of these is in its file any more. `wasSo`: it was found so, not made so; then what was undone before is forgotten. */
  retire(keys: readonly string[], wasSo: boolean): void {
    const gone = new Set(keys);
    this.#rows = this.#rows.flatMap((row): LedgerRow[] => {
      if (!gone.has(rowKey(row))) return [row];
      return wasSo && row.state === "undone" ? [] : [{ ...row, state: "undone" }];
    });
  }

  /** Back to the rows of an earlier moment. */
  restore(rows: readonly LedgerRow[]): void {
    this.#rows = [...rows];
  }

  /** Writes the file, on the disk when this returns; no file once there is nothing to be taken back. Throws a `Problem`. */
  save(): void {
    const setUp = this.isInUse ? this.#setUp : NOWHERE;
    const content = { version: VERSION, setUp, rows: this.#rows };
    const text = this.#rows.length === 0 ? "" : `${JSON.stringify(content, null, 1)}\n`;
    if (text === this.#saved) return;
    try {
      makePrivateDirectory(dirname(this.#path));
      removeLeftBeside(this.#path);
      if (text === "") rmSync(this.#path, { force: true });
      else renameSync(writeBeside(this.#path, Buffer.from(text), { mode: 0o600, owner: null }), this.#path);
      syncDirectory(dirname(this.#path));
      this.#saved = text;
    } catch (cause) {
      const reason = systemReason(systemCode(cause) ?? String(cause));
      throw new Problem("ledger-unwritable", `cannot write ${this.#path}: ${reason}`, READ_HINT);
    }
  }
}

const READ_HINT = "It keeps what install has changed. Put that right, then run the command again.";
const DAMAGED_HINT =
  "Move it away; `bir uninstall --server NAME` then takes bir out of an entry without it, if not to the very text that was there.";

/** Two rows of one place that say the same, made or not. */
function identity(row: LedgerRow): string {
  return JSON.stringify({ ...row, state: null });
}

interface Content {
  rows: LedgerRow[];
  setUp: SetUp;
}

function parseContent(text: string): Content | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value.version !== VERSION || !Array.isArray(value.rows)) return null;
    return value.rows.every(isRow) ? { rows: value.rows as LedgerRow[], setUp: readSetUp(value.setUp) } : null;
  } catch {
    return null;
  }
}

function readSetUp(value: unknown): SetUp {
  if (!isRecord(value) || !Array.isArray(value.directories)) return NOWHERE;
  const directories = value.directories.filter((directory) => typeof directory === "string");
  return { everywhere: value.everywhere === true, directories };
}

/** Only what a wrong value of could do harm. */
function isRow(row: unknown): boolean {
  return (
    isRecord(row) &&
    ["entry", "hooks", "added"].includes(String(row.kind)) &&
    typeof row.file === "string" &&
    typeof row.name === "string" &&
    Array.isArray(row.path) &&
    Array.isArray(row.hosts) &&
    (isRecord(row.made) || Array.isArray(row.made)) &&
    (row.kind !== "entry" || (isRecord(row.shape) && Array.isArray(row.executableWords))) &&
    (row.undo === null || (isRecord(row.undo) && Array.isArray(row.undo.patches)))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
