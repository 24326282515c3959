import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { visible } from "../../../core/text/visible.ts";
import { HOSTS } from "../../../hosts/hosts.ts";
import type { CliContext } from "../context.ts";
import { type Installed, install } from "../install/install.ts";
import { unreadMcpJson } from "../install/mcp-json.ts";
import { SOME_HOST } from "../install/other-file.ts";
import { placeOf } from "../install/place.ts";
import { reportLines } from "../install/report-lines.ts";
import { shortPath } from "../install/short-path.ts";
import { printJson } from "../json-output.ts";

/** `bir install`: has every MCP server of every host here recorded, and says what was done and what to do next. */

export interface InstallFlags {
  host: readonly string[] | undefined;
  server: readonly string[] | undefined;
  config: string | undefined;
  user: boolean;
  "mcp-json": boolean;
  "no-hooks": boolean;
  "no-correlation": boolean;
  "dry-run": boolean;
  json: boolean;
}

export async function runInstall(context: CliContext, flags: InstallFlags): Promise<ExitCode> {
  const done = await install(context, {
    hosts: flags.host,
    servers: flags.server,
    config: flags.config,
    user: flags.user,
    mcpJson: flags["mcp-json"],
    hooks: !flags["no-hooks"],
    correlation: !flags["no-correlation"],
    dryRun: flags["dry-run"],
  });
  if (flags.json) await printJson(context, done);
  else
    await context.print(
      `${linesOf(context, done, flags.host === undefined && flags.config === undefined)
        .map((line) => `${line}\n`)
        .join("")}`,
    );
  return done.problems.length > 0 ? EXIT.failed : EXIT.ok;
}

function linesOf(context: CliContext, done: Installed, isForAll: boolean): string[] {
  const lines = reportLines(context, done);
  const beside = isForAll ? mcpJsonLines(context, done) : [];
  if (done.hosts.length === 0) return nothingHere(context, done, beside);
  if (done.hosts.every(({ servers }) => servers.length === 0) && done.problems.length === 0) {
    const names = done.hosts.map(({ name }) => name).join(", ");
    lines.push(...(lines.length > 0 ? [""] : []), `No MCP server is configured here: looked at what ${names} read.`);
    lines.push("Add servers there, then run this again; `bir wrap -- COMMAND` prints an entry that is recorded.");
    return [...lines, ...beside];
  }
  return [...lines, ...(beside.length > 0 ? ["", ...beside] : []), "", ...nextSteps(context, done)];
}

/** That many that were asked for are named one by one. */
const MOST_NAMED = 3;
const MOST_COLUMNS = 96;

function lookedFor(missing: Installed["missing"]): string[] {
  return [
    "No application with MCP servers was found here.",
    `Looked for ${missing.length} applications:`,
    ...inLines(missing.map(({ name }) => name)),
  ];
}

/** Names, comma after comma, in lines that fit a terminal. */
function inLines(names: readonly string[]): string[] {
  const lines: string[] = [];
  let line = "";
  for (const [index, name] of names.entries()) {
    const word = index < names.length - 1 ? `${name},` : name;
    if (line !== "" && line.length + word.length > MOST_COLUMNS) {
      lines.push(`  ${line}`);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, `  ${line}`];
}

function namedOnes(context: CliContext, missing: Installed["missing"]): string[] {
  return [
    "None of the applications that were looked for is here:",
    ...missing.map(({ name, file }) => `  ${name}${file === null ? "" : `  ${visible(shortPath(file, context))}`}`),
    "",
  ];
}

/** Of a shared file that nobody here is known to read, where it was not changed. */
function mcpJsonLines(context: CliContext, { hosts }: Installed): string[] {
  if (hosts.some(({ id }) => id === SOME_HOST.id) || unreadMcpJson(placeOf(context)) === null) return [];
  return [
    "`.mcp.json` is here, but no application that reads it was found: `bir install --mcp-json` changes it where it is",
  ];
}

function nothingHere(context: CliContext, { missing }: Installed, beside: readonly string[]): string[] {
  return [
    ...(missing.length > MOST_NAMED ? lookedFor(missing) : namedOnes(context, missing)),
    ...beside,
    "For any other: `bir install --config PATH`, or an entry as `bir wrap -- COMMAND` prints it.",
  ];
}

function nextSteps(context: CliContext, done: Installed): string[] {
  const { hosts, dryRun } = done;
  if (dryRun) return ["Nothing was changed."];
  const isNew = (what: string) => ["wrapped", "renewed", "hooked", "unwrapped"].includes(what);
  const changed = hosts.filter(({ servers, hooks }) => [...servers, ...hooks].some(({ what }) => isNew(what)));
  const isRecorded = hosts.some(({ servers }) => servers.some(({ what }) => isNew(what) || what === "already"));
  if (!isRecorded && changed.length === 0) return ["Nothing was changed."];
  const lines: string[] = [];
  if (changed.length === 0) lines.push("Nothing is new.");
  else lines.push("Next", ...changed.map(({ name, reload }) => `  ${name}: ${reload}`));
  lines.push(
    "  Then use it as ever: `bir view` shows in a browser what was recorded, `bir run show` the latest run right here.",
  );
  lines.push(`  ${whereSentences(context, done)} \`bir uninstall\` takes all of this back.`);
  return lines;
}

/** What is recorded from now on: of applications that tell projects apart, of those that do not, of a file that was named. */
function whereSentences(context: CliContext, { directory, hosts }: Installed): string {
  if (directory === null) return "Recorded is everything you do.";
  const wrapped = hosts.filter(({ servers }) => servers.some(({ what }) => what !== "left"));
  const named = wrapped.filter(({ id }) => id === SOME_HOST.id);
  const everywhere = wrapped.filter(({ id }) => id !== SOME_HOST.id && !knowsProjects(id)).map(({ name }) => name);
  const sentences: string[] = [];
  if (wrapped.length === 0 || wrapped.length > named.length + everywhere.length) {
    const here = visible(homePath(directory, context));
    sentences.push(`Recorded is what you do in ${here} and below (\`--user\`: everywhere).`);
  }
  if (everywhere.length > 0) {
    sentences.push(
      `With ${everywhere.join(", ")} it is what you do anywhere, since all directories share its servers.`,
    );
  }
  if (named.length > 0) {
    const files = new Set(named.flatMap(({ servers }) => servers.map(({ file }) => visible(shortPath(file, context)))));
    sentences.push(`The servers of ${[...files].join(", ")} are recorded whichever application starts them.`);
  }
  return sentences.join(" ");
}

function knowsProjects(id: string): boolean {
  return HOSTS.find((host) => host.id === id)?.hasProjectLists === true;
}

function homePath(path: string, context: CliContext): string {
  return shortPath(path, { ...context, cwd: path });
}
