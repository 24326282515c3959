/**
 * The inline part of Markdown: emphasis, code, links. HTML is text. Every character is looked at a bounded number of times,
 * whatever the text. Pure.
 */

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "em" | "strong" | "strike"; children: Inline[] }
  /** `href` as it is written; whether it may be followed is for `safeHref` to say. */
  | { kind: "link"; href: string; children: Inline[] }
  | { kind: "image"; href: string; alt: string };

interface Delimiter {
  char: string;
  count: number;
  canOpen: boolean;
  canClose: boolean;
  /** What begins here, innermost first, and what ends here, innermost first. */
  opens: ("em" | "strong" | "strike")[];
  closes: number;
}

type Token =
  | { kind: "node"; node: Inline }
  | { kind: "delimiter"; delimiter: Delimiter }
  | { kind: "bracket"; isImage: boolean; href: string | null; openDelimiters: number }
  | { kind: "linkEnd" };

const PLAIN = /[^\\`*_~[\]!<h]+/y;
const TARGET =
  /\([ \t]{0,9}(?:<([^<>\n]{0,2000})>|((?:[^\s()<>]|\([^\s()<>]{0,300}\)){0,2000}))(?:[ \t]{1,9}(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'))?[ \t]{0,9}\)/y;
const AUTOLINK = /<((?:https?|mailto):[^\s<>]{1,2000})>/y;
const BARE = /https?:\/\/[^\s<>()[\]"'`*\\]{1,2000}/y;
const SPACE = /^\s?$/;
const PUNCTUATION = /^[\p{P}\p{S}]$/u;

export function parseInline(text: string): Inline[] {
  return new InlineParser(text).parse();
}

class InlineParser {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  /** Indexes into the tokens: brackets that wait for their end, and delimiters that something may begin at. */
  readonly #brackets: number[] = [];
  readonly #openers: Delimiter[] = [];
  /** Below these nothing is left that a closer of the kind could end. */
  readonly #bottoms = new Map<string, number>();
  /** Where runs of backticks of a length begin, in order, and which were passed. */
  readonly #ticks = new Map<number, { starts: number[]; next: number }>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    for (const match of text.matchAll(/`+/g)) {
      const runs = this.#ticks.get(match[0].length) ?? { starts: [], next: 0 };
      runs.starts.push(match.index);
      this.#ticks.set(match[0].length, runs);
    }
  }

  parse(): Inline[] {
    while (this.#at < this.#text.length) {
      const run = this.#match(PLAIN);
      if (run !== null) this.#push(run[0]);
      else this.#special(this.#text.charAt(this.#at));
    }
    return treeOf(this.#tokens);
  }

  #special(char: string): void {
    if (char === "\\" && /^[!-/:-@[-`{-~]$/.test(this.#text.charAt(this.#at + 1))) {
      this.#push(this.#text.charAt(this.#at + 1));
      this.#at += 2;
    } else if (char === "`") this.#code();
    else if (char === "*" || char === "_" || char === "~") this.#delimiter(char);
    else if (char === "[" || (char === "!" && this.#text.charAt(this.#at + 1) === "[")) this.#bracket(char === "!");
    else if (char === "]") this.#bracketEnd();
    else {
      const link = this.#match(AUTOLINK) ?? (char === "h" ? this.#bareLink() : null);
      if (link === null) {
        this.#push(char);
        this.#at += 1;
      } else this.#node({ kind: "link", href: link[1] ?? "", children: [{ kind: "text", text: link[1] ?? "" }] });
    }
  }

  #bareLink(): [string, string] | null {
    if (/[\p{L}\p{N}]/u.test(this.#text.charAt(this.#at - 1))) return null;
    const found = this.#match(BARE);
    if (found === null) return null;
    // A full stop behind a link ends the sentence.
    const href = found[0].replace(/[.,;:!?]{1,3}$/, "");
    this.#at -= found[0].length - href.length;
    return [href, href];
  }

  #code(): void {
    let length = 1;
    while (this.#text.charAt(this.#at + length) === "`") length += 1;
    const runs = this.#ticks.get(length);
    const from = this.#at + length;
    while (runs !== undefined && (runs.starts[runs.next] ?? Number.POSITIVE_INFINITY) < from) runs.next += 1;
    const end = runs?.starts[runs.next];
    this.#at = end === undefined ? from : end + length;
    if (end === undefined) this.#push("`".repeat(length));
    else {
      const code = this.#text.slice(from, end).replaceAll("\n", " ");
      const isPadded = code.length > 2 && code.startsWith(" ") && code.endsWith(" ");
      this.#node({ kind: "code", text: isPadded ? code.slice(1, -1) : code });
    }
  }

  #delimiter(char: string): void {
    const start = this.#at;
    while (this.#text.charAt(this.#at) === char) this.#at += 1;
    const count = this.#at - start;
    if (char === "~" && count !== 2) {
      this.#push(char.repeat(count));
      return;
    }
    const before = this.#text.charAt(start - 1);
    const after = this.#text.charAt(this.#at);
    const isLeft = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
    const isRight = !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
    const canOpen = isLeft && (char !== "_" || !isRight || PUNCTUATION.test(before));
    const canClose = isRight && (char !== "_" || !isLeft || PUNCTUATION.test(after));
    const delimiter: Delimiter = { char, count, canOpen, canClose, opens: [], closes: 0 };
    this.#tokens.push({ kind: "delimiter", delimiter });
    if (canClose) this.#close(delimiter);
    if (canOpen && delimiter.count > 0) this.#openers.push(delimiter);
  }

  /** Ends what a closer can end, as CommonMark's "process emphasis" does. */
  #close(closer: Delimiter): void {
    const floor = this.#tokens[this.#brackets.at(-1) ?? -1];
    const lowest = floor?.kind === "bracket" ? floor.openDelimiters : 0;
    while (closer.count > 0) {
      const key = `${closer.char}${closer.canOpen}${closer.count % 3}`;
      const bottom = Math.max(lowest, this.#bottoms.get(key) ?? 0);
      let at = this.#openers.length - 1;
      while (at >= bottom && !canPair(this.#openers[at], closer)) at -= 1;
      const opener = at >= bottom ? this.#openers[at] : undefined;
      if (opener === undefined) {
        this.#bottoms.set(key, this.#openers.length);
        return;
      }
      const strength = opener.count >= 2 && closer.count >= 2 ? 2 : 1;
      opener.opens.push(closer.char === "~" ? "strike" : strength === 2 ? "strong" : "em");
      closer.closes += 1;
      opener.count -= strength;
      closer.count -= strength;
      this.#cutOpeners(opener.count > 0 ? at + 1 : at);
    }
  }

  #cutOpeners(length: number): void {
    if (this.#openers.length <= length) return;
    this.#openers.length = length;
    for (const [key, bottom] of this.#bottoms) if (bottom > length) this.#bottoms.set(key, length);
  }

  #bracket(isImage: boolean): void {
    this.#at += isImage ? 2 : 1;
    this.#brackets.push(this.#tokens.length);
    this.#tokens.push({ kind: "bracket", isImage, href: null, openDelimiters: this.#openers.length });
  }

  #bracketEnd(): void {
    this.#at += 1;
    const index = this.#brackets.pop();
    const bracket = index === undefined ? undefined : this.#tokens[index];
    if (bracket?.kind !== "bracket") {
      this.#push("]");
      return;
    }
    const target = this.#match(TARGET);
    if (target === null) {
      this.#push("]");
      return;
    }
    bracket.href = target[1] ?? target[2] ?? "";
    this.#cutOpeners(bracket.openDelimiters);
    this.#tokens.push({ kind: "linkEnd" });
    // A link holds no links: brackets that began before it are text.
    if (!bracket.isImage) this.#brackets.length = 0;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  #push(text: string): void {
    this.#node({ kind: "text", text });
  }

  #node(node: Inline): void {
    const last = this.#tokens.at(-1);
    if (node.kind === "text" && last?.kind === "node" && last.node.kind === "text") last.node.text += node.text;
    else this.#tokens.push({ kind: "node", node });
  }
}

function canPair(opener: Delimiter | undefined, closer: Delimiter): boolean {
  if (opener === undefined || opener.char !== closer.char) return false;
  const isOdd = (opener.canClose || closer.canOpen) && (opener.count + closer.count) % 3 === 0;
  return !isOdd || (opener.count % 3 === 0 && closer.count % 3 === 0);
}

type Group = Extract<Inline, { children: Inline[] }>;

/** What may be nested within what a person can still tell apart. */
const DEEPEST = 12;

function treeOf(tokens: readonly Token[]): Inline[] {
  const root: Inline[] = [];
  const open: (Group | null)[] = [];
  let children = root;
  const begin = (group: Group) => {
    // Deeper still, the text stays and its looks do not.
    open.push(open.length < DEEPEST ? group : null);
    if (open.length > DEEPEST) return;
    children.push(group);
    children = group.children;
  };
  const end = () => {
    open.pop();
    if (open.length < DEEPEST) children = open.at(-1)?.children ?? root;
  };
  const text = (value: string) => {
    const last = children.at(-1);
    if (value === "") return;
    if (last?.kind === "text") last.text += value;
    else children.push({ kind: "text", text: value });
  };
  for (const token of tokens) {
    if (token.kind === "node") {
      if (token.node.kind === "text") text(token.node.text);
      else children.push(token.node);
    } else if (token.kind === "delimiter") {
      const { char, count, opens, closes } = token.delimiter;
      for (let index = 0; index < closes; index++) end();
      text(char.repeat(count));
      for (const kind of opens.toReversed()) begin({ kind, children: [] });
    } else if (token.kind === "linkEnd") end();
    else if (token.href === null) text(token.isImage ? "![" : "[");
    else begin({ kind: "link", href: token.isImage ? `!${token.href}` : token.href, children: [] });
  }
  return root.map(withImages);
}

/** Images are told as images: what would be their text, and where they would come from. */
function withImages(node: Inline): Inline {
  if (node.kind === "text" || node.kind === "code" || node.kind === "image") return node;
  if (node.kind === "link" && node.href.startsWith("!")) {
    return { kind: "image", href: node.href.slice(1), alt: plainText(node.children) };
  }
  return { ...node, children: node.children.map(withImages) };
}

/** What inline text says without its looks. */
export function plainText(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.kind === "text" || node.kind === "code") return node.text;
      return node.kind === "image" ? node.alt : plainText(node.children);
    })
    .join("");
}

/** The address that a person may follow; null for anything but http, https and mailto, and for addresses within a site. */
export function safeHref(href: string): string | null {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return null;
  const url = new URL(href);
  return /^(?:https?|mailto):$/.test(url.protocol) ? url.href : null;
}
