import type { Problem } from "../../core/problem.ts";
import type { ConfigDocument, ConfigFormatId } from "../edit/config-text.ts";
import type { LeftCode } from "../entry/left.ts";
import type { Scope } from "../host.ts";
import type { LedgerRow } from "../ledger.ts";

/** What a plan says of each server and each file. Never holds a value of an entry. Types only. */

/**
 * `wrapped`, `renewed` (was wrapped for another executable or with other options), `already`, `left`; of uninstall
 * `unwrapped` (the very text that was there), `taken-out` (changed since: only what is ours is gone), `gone` (there is nothing
 * of ours any more), `conflict` (runs bir in a way that cannot be taken apart). Of hooks `hooked`, `unhooked`.
 */
export type What =
  | "wrapped"
  | "renewed"
  | "already"
  | "left"
  | "unwrapped"
  | "taken-out"
  | "gone"
  | "conflict"
  | "hooked"
  | "unhooked";

export interface Outcome {
  what: What;
  /** Ids. */
  hosts: readonly string[];
  scope: Scope;
  directory: string | null;
  file: string;
  /** Empty where it is about no server. */
  server: string;
  /** Of the entry, counted from 1; null where it is not in the file. */
  line: number | null;
  /** Why it is left; null for all else. `leftReason` says it in words. */
  why: LeftCode | null;
}

/** What is to become of one file. */
export interface FilePlan {
  /** Null: there is to be no file. */
  after: string | null;
  outcomes: Outcome[];
  /** Rows of what is in `after`, each in place of all others for its place. */
  rows: LedgerRow[];
  /** Keys of rows of which nothing is in `after` any more. */
  retire: string[];
  /** To be removed with the file where they are empty, the innermost first. */
  directories?: readonly string[];
}

/**
 * Something to be done to one file. It is planned again whenever the file has changed, and once more when it is done: then the
 * plan has to find nothing to do, and give the rows of what is there.
 */
export interface FileTask {
  file: string;
  format: ConfigFormatId;
  /** A directory that the host makes while it changes the file, and that is made for this change, too. */
  lock?: string;
  /** Pure. `document` is null where there is no file; `rows` are all of the ledger's for the file. */
  plan(document: ConfigDocument | null, rows: readonly LedgerRow[]): FilePlan;
}

/** What was done to one file. */
export interface FileResult {
  file: string;
  outcomes: Outcome[];
  /** The file was written. */
  wrote: boolean;
  /** Why it could not be done; then nothing of it was. */
  problem: Problem | null;
}
