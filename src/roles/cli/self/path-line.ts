import { shellWord } from "../../../kit/shell-word.ts";

/** What the install script puts into the settings of a shell, and how it is taken out again, byte for byte. Pure. */

export const PATH_MARK = "# bir: put here by its installer";

/** The line for a POSIX shell, without its end. */
export function pathLine(directory: string): string {
  const word = shellWord(directory);
  return `case ":$PATH:" in *:${word}:*) ;; *) export PATH=${word}:"$PATH" ;; esac ${PATH_MARK}`;
}

/** The whole file for fish. */
export function fishFile(directory: string): string {
  const word = `'${directory.replace(/[\\']/g, "\\$&")}'`;
  return `${PATH_MARK}\nif not contains -- ${word} $PATH\n    set -gx PATH ${word} $PATH\nend\n`;
}

/** `changed`: a person has changed what we put there, so it is left. */
export type Removal = { kind: "removed"; content: Buffer } | { kind: "absent" } | { kind: "changed" };

/**
 * @param content what a file of a shell holds now
 * @param added what was put there, one line or the whole file, without its last line end
 * @param givenLineEnd before that, the file's last line had no end
 */
export function withoutAdded(content: Buffer, added: string, givenLineEnd: boolean): Removal {
  // One letter a byte: the rest of the file may be in any encoding.
  const text = content.toString("latin1");
  const ours = Buffer.from(added).toString("latin1");
  const found = whereLineIs(text, ours);
  if (found === -1) return { kind: text.includes(PATH_MARK) ? "changed" : "absent" };
  const before = text.slice(0, found);
  const after = text.slice(found + ours.length).replace(/^\r?\n/, "");
  const isLast = after === "";
  const kept = isLast && givenLineEnd ? before.replace(/\n$/, "") : before;
  return { kind: "removed", content: Buffer.from(kept + after, "latin1") };
}

function whereLineIs(text: string, line: string): number {
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const isWhole = /^\r?(?:\n|$)/.test(text.slice(at + line.length, at + line.length + 2));
    if (isWhole && (at === 0 || text[at - 1] === "\n")) return at;
  }
  return -1;
}
