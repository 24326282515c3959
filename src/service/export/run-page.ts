import { createHash } from "node:crypto";
import { stringifyExact } from "../../core/exact-json.ts";
import { CARRIED_RUN_ID, type CarriedRun } from "../../core/export/carried-run.ts";
import { Problem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import { visible, visibleJson } from "../../core/text/visible.ts";
import type { PageFiles } from "../page/page-files.ts";

/**
 * A run as one HTML file that shows itself: the page's own script and styles, and the run as data. The file's policy lets it run
 * nothing but that script, and load or send nothing at all. What was recorded stands in it only as the text of JSON, in which
 * nothing can end the element that holds it.
 */

const TITLE_LENGTH = 120;

/** The file's text. Throws a Problem where the page is not made of one script. */
export function runPage(carried: CarriedRun, page: PageFiles): string {
  const script = inlineScript(textOf(page, "javascript"));
  const style = inlineStyle(textOf(page, "css"));
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<!-- A recorded run of an AI agent, saved by bir. Open this file in a browser: it loads nothing and sends nothing. -->
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(titleOf(carried.run))}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This file shows a recorded run with a script of its own. Allow it to run, or look at the run in a terminal with <code>bir run show</code>.</noscript>
<script type="application/json" id="${CARRIED_RUN_ID}">${inlineJson(carried)}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** JSON text that means the same, and holds nothing that HTML, XML or a line-wise reader could take for its own. */
function inlineJson(value: unknown): string {
  return visibleJson(stringifyExact(value)).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

/** The same script; a text in it that HTML would take for an end or a comment is spelled otherwise. */
function inlineScript(script: string): string {
  return unixLines(script).replace(/<(?=!--|\/?script)/gi, "\\x3C");
}

function inlineStyle(style: string): string {
  return unixLines(style).replace(/<\/(?=style)/gi, "<\\/");
}

/** As an HTML parser reads it, so that its hash is that of what is run. */
function unixLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function textOf({ files }: PageFiles, kind: "javascript" | "css"): string {
  const texts = files.flatMap(({ type, text }) => (type.split(";")[0]?.endsWith(`/${kind}`) === true ? [text] : []));
  const [text, ...others] = texts;
  if (text === undefined || (kind === "javascript" && others.length > 0)) {
    throw new Problem("no-page", "the page that goes into the file is not complete", "Install bir anew.");
  }
  return texts.join("\n");
}

function titleOf({ id, input }: Run): string {
  const [, first = ""] = /^\s*(.*)/.exec((input ?? "").slice(0, 2_000)) ?? [];
  const title = first.trim() === "" ? `Run ${id}` : first.trim();
  return `${visible(title.slice(0, TITLE_LENGTH).toWellFormed())} · bir`;
}

function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
