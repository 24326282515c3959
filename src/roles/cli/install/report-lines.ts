import { visible } from "../../../core/text/visible.ts";
import type { CliContext } from "../context.ts";
import { type Paint, paintFor } from "../text/paint.ts";
import { SOME_HOST } from "./other-file.ts";
import type { HooksReport, HostReport, Report, ServerReport } from "./report.ts";
import { shortPath } from "./short-path.ts";

/** What was done, as lines for a person: a host, then a line a server. */

interface Wording {
  sign: "✓" | "·" | "–" | "!";
  done: string;
  /** What is said of it before it is done. */
  planned: string;
}

const MOST_OF_A_LINE = 240;

const WORDS: Record<ServerReport["what"] | HooksReport["what"], Wording> = {
  wrapped: { sign: "✓", done: "wrapped", planned: "would be wrapped" },
  renewed: { sign: "✓", done: "wrapped anew", planned: "would be wrapped anew" },
  already: { sign: "·", done: "already", planned: "already" },
  left: { sign: "–", done: "left", planned: "left" },
  kept: { sign: "·", done: "stays wrapped", planned: "stays wrapped" },
  unknown: { sign: "!", done: "stays", planned: "stays" },
  unwrapped: { sign: "✓", done: "as it was", planned: "would be as it was" },
  "taken-out": {
    sign: "✓",
    done: "unwrapped; what was changed in it since is kept",
    planned: "would be unwrapped; what was changed in it since is kept",
  },
  gone: { sign: "·", done: "nothing of bir is in it any more", planned: "nothing of bir is in it any more" },
  conflict: { sign: "!", done: "left", planned: "left" },
  hooked: { sign: "✓", done: "put in", planned: "would be put in" },
  unhooked: { sign: "✓", done: "taken out", planned: "would be taken out" },
  skipped: { sign: "–", done: "left out", planned: "left out" },
};

/** Hosts that have something to tell, each with its servers; then what went wrong, then a dry run's differences. */
export function reportLines(context: CliContext, report: Report): string[] {
  const paint = paintFor(context.terminal.color);
  const lines: string[] = [];
  for (const host of report.hosts) {
    if (host.servers.length === 0 && host.hooks.length === 0) continue;
    if (lines.length > 0) lines.push("");
    lines.push(headline(host, paint), ...hostLines(context, host, report.dryRun, paint));
  }
  for (const { message, hint } of report.problems) {
    lines.push("", paint.bad(`✗ ${visible(message)}`), `  → ${visible(hint)}`);
  }
  for (const { diff } of report.diffs ?? []) lines.push("", ...diff.trimEnd().split("\n").map(cut));
  return lines;
}

function headline({ id, name, verified }: HostReport, paint: Paint): string {
  return verified || id === SOME_HOST.id
    ? paint.bold(name)
    : `${paint.bold(name)} ${paint.dim("(unverified: from its documentation only)")}`;
}

function hostLines(context: CliContext, host: HostReport, isDryRun: boolean, paint: Paint): string[] {
  const width = Math.min(32, Math.max(5, ...host.servers.map(({ name }) => visible(name).length)));
  const line = (name: string, what: Wording, reason: string | null, where: string | null) => {
    const done = isDryRun ? what.planned : what.done;
    const said = reason === null ? done : `${done}: ${visible(reason)}`;
    return `  ${painted(what.sign, paint)} ${visible(name).padEnd(width)}  ${said}${where === null ? "" : paint.dim(`  ${visible(where)}`)}`;
  };
  return [
    ...host.servers.map((server) => line(server.name, wordsFor(server), server.reason, whereIs(server, context))),
    ...host.hooks.flatMap(({ what, reason, file, shownByGit }) => [
      line("hooks", WORDS[what], reason, file === null ? null : shortPath(file, context)),
      ...(shownByGit
        ? [`    ${" ".repeat(width)}  ${paint.warn("!")} git shows this file: do not commit it, it is for you alone`]
        : []),
    ]),
  ];
}

function wordsFor({ what, copy }: ServerReport): Wording {
  const words = WORDS[what];
  if (!copy) return words;
  if (what === "unwrapped") return { ...words, done: "its copy is gone", planned: "its copy would go" };
  if (what !== "wrapped" && what !== "renewed") return words;
  return { ...words, done: `${words.done} in a copy of it`, planned: `${words.planned} in a copy of it` };
}

function whereIs({ file, line }: ServerReport, context: CliContext): string {
  return `${shortPath(file, context)}${line === null ? "" : `:${line}`}`;
}

/** A file that is all in one line would fill the screen. */
function cut(line: string): string {
  const shown = visible(line);
  return shown.length > MOST_OF_A_LINE ? `${shown.slice(0, MOST_OF_A_LINE)}…` : shown;
}

function painted(sign: Wording["sign"], paint: Paint): string {
  return { "✓": paint.good, "·": paint.dim, "–": paint.dim, "!": paint.warn }[sign](sign);
}
