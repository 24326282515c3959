import { type Inline, parseInline } from "./inline.ts";

/**
 * Markdown's blocks: headings, paragraphs, code, quotes, lists, tables, rules. What is not Markdown is a paragraph, so that
 * every text has blocks. Each line is looked at once for each level of nesting, of which there are few. Pure.
 */

export type Block =
  | { kind: "heading"; level: number; inline: Inline[] }
  | { kind: "paragraph"; inline: Inline[] }
  | { kind: "code"; language: string; text: string }
  /** Too long for anything else: as it is. */
  | { kind: "plain"; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; start: number | null; items: { isDone: boolean | null; blocks: Block[] }[] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "rule" };

const DEEPEST = 6;
/** Paragraphs that are longer are shown as plain text, UTF-16 units. */
const LONGEST_PARAGRAPH = 20_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]{0,80})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function parseBlocks(text: string): Block[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  return blocksOf(lines, 0);
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push(paragraphOf(paragraph.join("\n")));
    paragraph = [];
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      endParagraph();
      at += 1;
      continue;
    }
    const found = line.length > 4000 ? null : startOf(lines, at, depth, paragraph.length > 0);
    if (found === null) {
      paragraph.push(line);
      at += 1;
      continue;
    }
    if (found.isUnderline === true) {
      const inline = parseInline(paragraph.join(" "));
      paragraph = [];
      blocks.push({ kind: "heading", level: found.level, inline });
    } else {
      endParagraph();
      blocks.push(found.block);
    }
    at = found.end;
  }
  endParagraph();
  return blocks;
}

type Found = { isUnderline?: false; block: Block; end: number } | { isUnderline: true; level: number; end: number };

/** The block that begins at a line; null where a paragraph goes on. */
function startOf(lines: readonly string[], at: number, depth: number, isInParagraph: boolean): Found | null {
  const line = lines[at] ?? "";
  const first = line.trimStart().charAt(0);
  if (first === "`" || (first === "~" && FENCE.test(line))) return codeAt(lines, at);
  if (first === "#") {
    const [, marks = "", title = ""] = HEADING.exec(line) ?? [];
    if (marks === "") return null;
    const inline = parseInline(title.trim().replace(/[ \t]#{1,20}$/, ""));
    return { block: { kind: "heading", level: marks.length, inline }, end: at + 1 };
  }
  if (isInParagraph && /^ {0,3}(?:=+|-+)[ \t]*$/.test(line)) {
    return { isUnderline: true, level: first === "=" ? 1 : 2, end: at + 1 };
  }
  if (line.length < 200 && RULE.test(line)) return { block: { kind: "rule" }, end: at + 1 };
  if (first === ">" && depth < DEEPEST && QUOTE.test(line)) return quoteAt(lines, at, depth);
  if (/[-*+\d]/.test(first) && depth < DEEPEST && ITEM.test(line)) return listAt(lines, at, depth, isInParagraph);
  if (!isInParagraph && line.includes("|")) return tableAt(lines, at);
  return null;
}

function codeAt(lines: readonly string[], at: number): Found | null {
  const [, fence = "", language = ""] = FENCE.exec(lines[at] ?? "") ?? [];
  if (fence === "") return null;
  const indent = (lines[at] ?? "").search(/\S/);
  const code: string[] = [];
  let end = at + 1;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    const [, closing = ""] = /^ {0,3}(`{3,}|~{3,})[ \t]{0,20}$/.exec(line) ?? [];
    if (closing.startsWith(fence)) break;
    code.push(line.slice(0, indent).trim() === "" ? line.slice(indent) : line);
  }
  return {
    block: { kind: "code", language: language.trim().split(/\s/)[0] ?? "", text: code.join("\n") },
    end: end + 1,
  };
}

function quoteAt(lines: readonly string[], at: number, depth: number): Found {
  const inner: string[] = [];
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    if (QUOTE.test(line)) inner.push(line.replace(QUOTE, ""));
    else if (line.trim() !== "" && isContinuation(line)) inner.push(line);
    else break;
  }
  return { block: { kind: "quote", blocks: blocksOf(inner, depth + 1) }, end };
}

function listAt(lines: readonly string[], at: number, depth: number, isInParagraph: boolean): Found | null {
  const marker = ITEM.exec(lines[at] ?? "")?.[2] ?? "";
  const start = /\d/.test(marker) ? Number.parseInt(marker, 10) : null;
  // A number at the beginning of a line of prose is no list.
  if (isInParagraph && start !== null && start !== 1) return null;
  const kind = marker.at(-1);
  const items: { isDone: boolean | null; blocks: Block[] }[] = [];
  let end = at;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    const found = ITEM.exec(line);
    if (found === null || found[2]?.at(-1) !== kind || RULE.test(line)) break;
    const indent = Math.min(found[0].length, (found[1]?.length ?? 0) + (found[2]?.length ?? 0) + 4);
    const inner = [line.slice(indent)];
    end += 1;
    while (end < lines.length) {
      const next = lines[end] ?? "";
      const isBlank = next.trim() === "";
      if (isBlank && !isIndented(lines[end + 1] ?? "", indent)) break;
      if (!isBlank && !isIndented(next, indent) && !isContinuation(next)) break;
      inner.push(isIndented(next, indent) ? next.slice(indent) : next.trimStart());
      end += 1;
    }
    items.push(itemOf(inner, depth));
    // Blank lines between items belong to the list.
    let next = end;
    while (next < lines.length && (lines[next] ?? "").trim() === "") next += 1;
    if (ITEM.exec(lines[next] ?? "")?.[2]?.at(-1) === kind) end = next;
  }
  return { block: { kind: "list", start, items }, end };
}

function itemOf(lines: string[], depth: number): { isDone: boolean | null; blocks: Block[] } {
  const task = /^\[([ xX])\][ \t]+/.exec(lines[0] ?? "");
  if (task !== null) lines[0] = (lines[0] ?? "").slice(task[0].length);
  return { isDone: task === null ? null : task[1] !== " ", blocks: blocksOf(lines, depth + 1) };
}

function isIndented(line: string, indent: number): boolean {
  return line.trim() !== "" && line.slice(0, indent).trim() === "";
}

/** True for a line that goes on with the paragraph before it. */
function isContinuation(line: string): boolean {
  return !/^ {0,3}(?:[>#|]|```|~~~)/.test(line) && !ITEM.test(line) && !(line.length < 200 && RULE.test(line));
}

function tableAt(lines: readonly string[], at: number): Found | null {
  const rule = lines[at + 1] ?? "";
  if (!rule.includes("-") || rule.length > 2000 || !TABLE_RULE.test(rule)) return null;
  const head = cellsOf(lines[at] ?? "");
  if (head.length !== cellsOf(rule).length) return null;
  const rows: Inline[][][] = [];
  let end = at + 2;
  for (; end < lines.length && (lines[end] ?? "").includes("|"); end++) {
    const cells = cellsOf(lines[end] ?? "").slice(0, head.length);
    while (cells.length < head.length) cells.push("");
    rows.push(cells.map(parseInline));
  }
  return { block: { kind: "table", head: head.map(parseInline), rows }, end };
}

function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = "";
  const inner = line.trim().replace(/^\|/, "");
  for (let at = 0; at < inner.length; at++) {
    const char = inner.charAt(at);
    if (char === "\\" && inner.charAt(at + 1) === "|") {
      cell += "|";
      at += 1;
    } else if (char === "|") {
      cells.push(cell.trim());
      cell = "";
    } else cell += char;
  }
  if (cell.trim() !== "") cells.push(cell.trim());
  return cells;
}

function paragraphOf(text: string): Block {
  if (text.length > LONGEST_PARAGRAPH) return { kind: "plain", text };
  return { kind: "paragraph", inline: parseInline(text.replace(/^[ \t]{1,3}/gm, "")) };
}
