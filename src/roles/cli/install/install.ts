import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Problem } from "../../../core/problem.ts";
import type { CopyRow } from "../../../hosts/claude-code/copy-rows.ts";
import { copyTasks } from "../../../hosts/claude-code/copy-tasks.ts";
import { planCopiesRemoval } from "../../../hosts/claude-code/plan-copies-removal.ts";
import type { ScopedHost, ScopeOptions } from "../../../hosts/claude-code/scopes.ts";
import type { Host, Place } from "../../../hosts/host.ts";
import type { LedgerRow } from "../../../hosts/ledger.ts";
import { changeLedger } from "../../../hosts/plan/apply.ts";
import { type InstallOptions, planInstall } from "../../../hosts/plan/plan-install.ts";
import { isSet, readEnv } from "../../../kit/env.ts";
import { joinPath } from "../../../kit/paths.ts";
import type { CliContext } from "../context.ts";
import { namedHosts } from "./host-choice.ts";
import { type Job, type JobOrder, runJobs } from "./jobs.ts";
import { readersOfMcpJson } from "./mcp-json.ts";
import { readersOfFile } from "./other-file.ts";
import { planOwnHooks } from "./own-hooks.ts";
import { identify, placeOf } from "./place.ts";
import { isScoped, locksIn, type Reader, readersOf } from "./readers.ts";
import { Reasons } from "./reasons.ts";
import { foreignReports, problemsBeside, type Report, reportOf } from "./report.ts";
import { setUpDirectory, withPlace } from "./scope-setup.ts";
import { checkServerNames, serverNames } from "./server-names.ts";
import { isShownByGit } from "./shown-by-git.ts";
import { mayShowWord } from "./shown-words.ts";

/** `bir install` as a use case: finds what hosts have, has it wrapped, puts hooks in, and remembers for where. Prints nothing. */

export interface InstallOrder {
  hosts: readonly string[] | undefined;
  servers: readonly string[] | undefined;
  /** Only this file. */
  config: string | undefined;
  /** Hooks for everything that this person does, and entries for the whole user record everywhere. */
  user: boolean;
  mcpJson: boolean;
  hooks: boolean;
  correlation: boolean;
  dryRun: boolean;
}

export interface Installed extends Report {
  /** Entries for the whole user record here and below; null where they record everywhere. */
  directory: string | null;
  /** Hosts that were looked for and are not there. */
  missing: { id: string; name: string; file: string | null }[];
}

/** Throws a `Problem` for what cannot be begun. What fails for one file is in the report. */
export async function install(context: CliContext, order: InstallOrder): Promise<Installed> {
  const place = placeOf(context);
  checkOwner(context.userHome);
  const asked = namedHosts(order.hosts);
  const hosts = asked.filter((host) => host.isThere(place));
  const claude = hosts.find(isScoped) ?? null;
  const hasHooks = order.hooks && order.config === undefined && order.servers === undefined;
  const scope: ScopeOptions = {
    inPlace: order.mcpJson || order.config !== undefined || isSet("BIR_WRAP_MCP_JSON", context.env),
    version: claude !== null && hasHooks ? await claude.installedVersion(place) : null,
  };
  const here = readersOf(order.config === undefined ? hosts : asked, place, scope);
  const readers =
    order.config === undefined
      ? [...here, ...(scope.inPlace && order.hosts === undefined ? readersOfMcpJson(place) : [])]
      : await readersOfFile(order.config, here, asked, place);
  const servers = order.servers ?? null;
  checkServerNames(servers, servers === null ? [] : serverNames(listsOf(readers)));

  const birHome = homeForEntries(context);
  const reasons = new Reasons(readers);
  const options: InstallOptions = {
    executableWords: context.executableWords,
    birHome,
    servers,
    correlation: order.correlation,
    identify,
    veto: (entry, of, wrapped) => reasons.veto(entry, of, wrapped),
  };
  const isEverywhere = order.user || identify(context.userHome) === identify(context.cwd);
  const copies = claude === null ? { tasks: [], problems: [] } : await copiesOf(claude, readers, reasons, options);
  const hooks =
    claude !== null && hasHooks ? hooksOf(claude, place, scope, { context, birHome, isEverywhere, order }) : null;
  const jobs = (rows: readonly LedgerRow[]): Job[] => [
    ...planInstall(targetsOf(readers, place), options).map((task): Job => ({ kind: "entries", task })),
    ...copies.tasks.map((task): Job => ({ kind: "copies", task })),
    ...(scope.inPlace && claude !== null ? replacedCopies(claude, readers, rows, place, servers) : []),
    ...(hooks?.tasks ?? []).map((task): Job => ({ kind: "hooks", task })),
  ];
  const run: JobOrder = {
    home: context.home,
    isDryRun: order.dryRun,
    locks: locksIn(readers),
    mayShow: mayShowWord([
      ...context.executableWords,
      birHome ?? "",
      ...(order.dryRun ? serverNames(listsOf(readers)) : []),
    ]),
  };
  const done = await runJobs(jobs, run);
  const directory = setUpDirectory(place);
  if (!order.dryRun) {
    await changeLedger((ledger) => {
      ledger.setUp = withPlace(ledger.setUp, directory, isEverywhere);
    }, context.home);
  }
  const report = reportOf(
    readers.map(({ host }) => host),
    done,
    order.dryRun,
    (outcome) => reasons.of(outcome),
  );
  report.problems.push(...problemsBeside(copies.problems, report.problems));
  const own = report.hosts.find(({ id }) => id === claude?.id);
  if (claude !== null && own !== undefined) {
    if (order.config === undefined && servers === null) own.servers.push(...foreignReports(claude, place, scope));
    if (hooks !== null && hooks.refused !== null) {
      own.hooks.push({ what: "skipped", scope: null, file: null, reason: hooks.refused, shownByGit: false });
    }
  }
  for (const one of own?.hooks ?? []) {
    one.shownByGit = one.what === "hooked" && one.file !== null && (await isShownByGit(one.file, place));
  }
  return {
    ...report,
    directory: isEverywhere ? null : directory,
    missing: order.config === undefined ? missingHosts(asked, hosts, place) : [],
  };
}

/** As an administrator in somebody's home everything written would be what that person may not change. */
function checkOwner(userHome: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(userHome, { throwIfNoEntry: false })?.uid ?? 0;
  if (owner === 0) return;
  throw new Problem("not-your-home", `${userHome} belongs to another user`, "Run it as that user, without sudo.");
}

/** Where recordings are, for entries that have to say so; null where it is the default. */
export function homeForEntries({ home, userHome, cwd, env }: CliContext): string | null {
  const whole = resolve(cwd, home);
  return readEnv("BIR_HOME", env) === undefined || whole === joinPath(userHome, ".baseinstrunner") ? null : whole;
}

function listsOf(readers: readonly Reader[]) {
  return readers.flatMap(({ lists }) => lists.map(({ list }) => list));
}

/** Lists in files that are there. */
function targetsOf(readers: readonly Reader[], place: Place) {
  return readers.flatMap(({ host, lists }) =>
    lists.filter(({ list }) => place.files.exists(list.file)).map(({ list }) => ({ host, list })),
  );
}

async function copiesOf(claude: ScopedHost, readers: readonly Reader[], reasons: Reasons, options: InstallOptions) {
  const lists = readers.find(({ host }) => host === claude)?.lists ?? [];
  return await copyTasks(
    claude,
    lists.map((list) => reasons.listening(list)),
    options,
  );
}

/** Copies of entries that are now changed where they are. */
function replacedCopies(
  claude: ScopedHost,
  readers: readonly Reader[],
  rows: readonly LedgerRow[],
  place: Place,
  servers: readonly string[] | null,
): Job[] {
  const shared = listsOf(readers).filter((list) => list.shared === true && place.files.exists(list.file));
  const shape = claude.lists(place)[0]?.shape;
  if (shape === undefined) return [];
  const isMeant = ({ name, source }: CopyRow) =>
    shared.some(({ file }) => file === source.file) && (servers === null || servers.includes(name));
  return planCopiesRemoval(rows, shape, isMeant).map((task) => ({ kind: "copies", task }));
}

interface HooksContext {
  context: CliContext;
  birHome: string | null;
  isEverywhere: boolean;
  order: InstallOrder;
}

function hooksOf(
  claude: ScopedHost,
  place: Place,
  scope: ScopeOptions,
  { context, birHome, isEverywhere, order }: HooksContext,
) {
  return planOwnHooks(claude, place, scope, {
    executableWords: context.executableWords,
    birHome,
    scope: isEverywhere ? "user" : "local",
    correlation: order.correlation && readEnv("BIR_CORRELATION_DECISION", context.env) !== undefined,
  });
}

function missingHosts(asked: readonly Host[], there: readonly Host[], place: Place): Installed["missing"] {
  return asked
    .filter((host) => !there.includes(host))
    .map((host) => ({ id: host.id, name: host.name, file: host.lists(place).at(-1)?.file ?? null }));
}
