import type { Problem } from "../../../core/problem.ts";
import type { ScopedHost, ScopeOptions } from "../../../hosts/claude-code/scopes.ts";
import type { LeftCode } from "../../../hosts/entry/left.ts";
import type { Host, Place, Scope } from "../../../hosts/host.ts";
import type { Outcome, What } from "../../../hosts/plan/outcome.ts";
import type { DoneJob } from "./jobs.ts";

/** What install and uninstall say, host by host. Holds no value of an entry. */

export interface ServerReport {
  name: string;
  /** `kept`: still wrapped, because another directory needs it. `unknown`: runs bir, and no install has written it. */
  what: What | "kept" | "unknown";
  /** Null for a server that the host has from elsewhere, such as a plugin. */
  scope: Scope | null;
  directory: string | null;
  file: string;
  line: number | null;
  /** What it is about is a wrapped copy in `file` that the host uses in place of a shared entry. */
  copy: boolean;
  code: LeftCode | "foreign" | null;
  reason: string | null;
}

export interface HooksReport {
  what: What | "skipped";
  scope: Scope | null;
  file: string | null;
  reason: string | null;
  /** The file is new, and git shows it to everybody who shares the project. */
  shownByGit: boolean;
}

export interface HostReport {
  id: string;
  name: string;
  /** Seen with the real application. */
  verified: boolean;
  /** What a person does for a change to be taken up. */
  reload: string;
  servers: ServerReport[];
  hooks: HooksReport[];
}

export interface FileProblem {
  /** Null where the message alone names it. */
  file: string | null;
  code: string;
  message: string;
  hint: string;
}

/** What was done, or with `--dry-run` would be. */
export interface Report {
  dryRun: boolean;
  hosts: HostReport[];
  problems: FileProblem[];
  /** Files that were written, or would be. */
  changed: string[];
  /** Only of a dry run; without values. */
  diffs: { file: string; diff: string }[] | null;
}

/** Sorts outcomes by host. `reasonOf` says in words why a server is left. */
export function reportOf(
  hosts: readonly Host[],
  done: readonly DoneJob[],
  isDryRun: boolean,
  reasonOf: (outcome: Outcome) => string | null,
): Report {
  const copies = done.filter(({ kind }) => kind === "copies").flatMap(({ outcomes }) => outcomes);
  const reports = hosts.map((host): HostReport => {
    const report = emptyReport(host);
    for (const { kind, outcomes } of done) {
      for (const outcome of outcomes) {
        if (!outcome.hosts.includes(host.id)) continue;
        if (kind === "hooks") report.hooks.push(hooksReport(outcome, reasonOf));
        else if (kind === "copies" || !isToldByCopies(host, outcome, copies)) {
          report.servers.push(serverReport(outcome, kind === "copies", reasonOf));
        }
      }
    }
    return report;
  });
  return {
    dryRun: isDryRun,
    hosts: reports,
    problems: problemsIn(done),
    changed: [...new Set(done.filter(({ wrote }) => wrote).map(({ file }) => file))],
    diffs: isDryRun ? done.flatMap(({ file, diff }) => (diff === null ? [] : [{ file, diff }])) : null,
  };
}

export function emptyReport({ id, name, verified, reload }: Host): HostReport {
  return { id, name, verified, reload, servers: [], hooks: [] };
}

/** Servers that a host has and that cannot be recorded. */
export function foreignReports(host: ScopedHost, place: Place, options: ScopeOptions): ServerReport[] {
  return host.foreignServers(place, options).map(({ name, file, reason }) => ({
    name,
    what: "left",
    scope: null,
    directory: null,
    file,
    line: null,
    copy: false,
    code: "foreign",
    reason,
  }));
}

/** What could not be read while it was planned, beside what is told already. */
export function problemsBeside(problems: readonly Problem[], told: readonly FileProblem[]): FileProblem[] {
  return problems
    .filter(({ message }) => !told.some((one) => one.message === message))
    .map(({ code, message, hint }) => ({ file: null, code, message, hint }));
}

/** Copies are seen twice: by those who made them, and as entries that run bir. So are the entries that they are of. */
function isToldByCopies(host: Host, outcome: Outcome, copies: readonly Outcome[]): boolean {
  if (outcome.why === "shared-file") return copies.some(({ hosts }) => hosts.includes(host.id));
  return copies.some(
    ({ server, file, directory, what }) =>
      what !== "left" && server === outcome.server && file === outcome.file && directory === outcome.directory,
  );
}

function serverReport(
  outcome: Outcome,
  isFromCopies: boolean,
  reasonOf: (outcome: Outcome) => string | null,
): ServerReport {
  const { server, what, scope, directory, file, line, why } = outcome;
  const copy = isFromCopies && what !== "left";
  return { name: server, what, scope, directory, file, line, copy, code: why, reason: reasonOf(outcome) };
}

function hooksReport(outcome: Outcome, reasonOf: (outcome: Outcome) => string | null): HooksReport {
  const { what, scope, file } = outcome;
  return { what, scope, file, reason: reasonOf(outcome), shownByGit: false };
}

/** Two tasks for one file fail with the same sentence. */
function problemsIn(done: readonly DoneJob[]): FileProblem[] {
  const problems = new Map<string, FileProblem>();
  for (const { file, problem } of done) {
    if (problem === null) continue;
    const { code, message, hint } = problem;
    problems.set(message, { file, code, message, hint });
  }
  return [...problems.values()];
}
