import type { DiffLine } from "./line-diff.ts";

/** Differences that were recorded as text (`diff -u`, git, `apply_patch`), or as hunks (Claude Code's `structuredPatch`). Pure. */

const HUNK = /^@@+ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/;

/** True for a text that is a patch. */
export function isPatch(text: string): boolean {
  const start = text.slice(0, 20_000);
  if (/^\s*\*\*\* Begin Patch\r?$/m.test(start)) return true;
  if (/^diff --git /m.test(start) && /^@@+ /m.test(start)) return true;
  return /^--- .*\r?\n\+\+\+ /m.test(start) && HUNK.test(start.slice(Math.max(0, start.search(/^@@/m))));
}

export function patchLines(text: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let old: number | null = null;
  let now: number | null = null;
  let isInHunk = false;
  const push = (kind: DiffLine["kind"], line: string) => {
    const hasOld = kind === "same" || kind === "removed";
    const hasNew = kind === "same" || kind === "added";
    lines.push({ kind, text: line, old: hasOld ? old : null, new: hasNew ? now : null });
    if (hasOld && old !== null) old += 1;
    if (hasNew && now !== null) now += 1;
  };
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  for (const [index, raw] of all.entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      old = Number(hunk[1]);
      now = Number(hunk[2]);
      isInHunk = true;
      push("heading", line);
    } else if (line.startsWith("@@") || line.startsWith("*** ")) {
      old = now = null;
      isInHunk = !/^\*\*\* (?:Delete|End)/.test(line);
      push("heading", line);
    } else if (!isInHunk || line.startsWith("diff --git ") || isFileHeader(line, all[index + 1])) {
      isInHunk = false;
      push("heading", line);
    } else if (line.startsWith("+")) push("added", line.slice(1));
    else if (line.startsWith("-")) push("removed", line.slice(1));
    else if (line.startsWith("\\")) push("heading", line);
    else push("same", line.startsWith(" ") ? line.slice(1) : line);
  }
  return lines;
}

/** Hunks as Claude Code reports them; null where they are something else. */
export function hunkLines(hunks: unknown): DiffLine[] | null {
  if (!Array.isArray(hunks) || hunks.length === 0) return null;
  const texts: string[] = [];
  for (const hunk of hunks) {
    const { oldStart, oldLines, newStart, newLines, lines } = (hunk ?? {}) as Record<string, unknown>;
    if (![oldStart, oldLines, newStart, newLines].every((one) => typeof one === "number") || !Array.isArray(lines)) {
      return null;
    }
    texts.push(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`);
    for (const line of lines) if (typeof line === "string") texts.push(line);
  }
  return patchLines(`${texts.join("\n")}\n`);
}

function isFileHeader(line: string, next: string | undefined): boolean {
  return line.startsWith("--- ") && next?.startsWith("+++ ") === true;
}
