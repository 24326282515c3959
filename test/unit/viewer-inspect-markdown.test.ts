import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, parseBlocks } from "../../src/viewer/inspect/markdown/blocks.ts";
import { type Inline, parseInline, plainText, safeHref } from "../../src/viewer/inspect/markdown/inline.ts";
import { pagesOf } from "../../src/viewer/inspect/markdown/pages.ts";

/** Markdown: what it means, that it is text whatever it says, and that no text takes more time than its length allows. */

/** Short notation: `em(strong(x))`, `link:href(text)`. */
function told(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.kind === "text") return node.text;
      if (node.kind === "code") return `code(${node.text})`;
      if (node.kind === "image") return `image:${node.href}(${node.alt})`;
      return `${node.kind}${node.kind === "link" ? `:${node.href}` : ""}(${told(node.children)})`;
    })
    .join("");
}

function toldBlocks(text: string): string[] {
  const tell = (block: Block): string => {
    switch (block.kind) {
      case "heading":
        return `h${block.level}(${told(block.inline)})`;
      case "paragraph":
        return `p(${told(block.inline)})`;
      case "code":
        return `code:${block.language}(${block.text})`;
      case "plain":
        return `plain(${block.text.length})`;
      case "quote":
        return `quote(${block.blocks.map(tell).join(" ")})`;
      case "list": {
        const items = block.items.map(
          ({ isDone, blocks }) => `${isDone === null ? "" : isDone ? "☑ " : "☐ "}${blocks.map(tell).join(" ")}`,
        );
        return `list${block.start ?? ""}(${items.join(" | ")})`;
      }
      case "table":
        return `table(${[block.head, ...block.rows].map((row) => row.map(told).join(",")).join(" | ")})`;
      case "rule":
        return "rule";
    }
  };
  return parseBlocks(text).map(tell);
}

describe("inline", () => {
  test.each([
    ["a **b *c* d** e", "a strong(b em(c) d) e"],
    ["***x***", "em(strong(x))"],
    ["*a **b***", "em(a strong(b))"],
    ["**a*", "*em(a)"],
    ["snake_case_word and _em_", "snake_case_word and em(em)"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["~~gone~~ ~one~", "strike(gone) ~one~"],
    ["`a` ``b`c`` `d", "code(a) code(b`c) `d"],
    ["\\*not\\* \\x", "*not* \\x"],
    ["[a *b*](http://x 'yes') [t](u \"title\")", "link:http://x(a em(b)) link:u(t)"],
    ["[[a](b)](c)", "[link:b(a)](c)"],
    ["![i](y.png)", "image:y.png(i)"],
    ["[x](<a b>)", "link:a b(x)"],
    ["[x](javascript:alert(1))", "link:javascript:alert(1)(x)"],
    [
      "see https://a.b/c. And <https://d.e>",
      "see link:https://a.b/c(https://a.b/c). And link:https://d.e(https://d.e)",
    ],
    ["xhttps://a.b", "xhttps://a.b"],
    ["<b>x</b> <script>", "<b>x</b> <script>"],
    ["[open", "[open"],
    ["]close", "]close"],
    ["*a [b* c](d)", "*a link:d(b* c)"],
  ])("%s", (text, expected) => {
    expect(told(parseInline(text))).toBe(expected);
  });

  test("a link is followed only to where a page or a letter may go", () => {
    expect(safeHref("https://example.org/a b")).toBe("https://example.org/a%20b");
    expect(safeHref("HTTP://EXAMPLE.org")).toBe("http://example.org/");
    expect(safeHref("mailto:a@example.org")).toBe("mailto:a@example.org");
    for (const href of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      " javascript:alert(1)",
      "java\nscript:alert(1)",
      "\u0001javascript:alert(1)",
      "data:text/html,<script>",
      "vbscript:x",
      "file:///etc/passwd",
      "blob:https://x",
      "//example.org",
      "/relative",
      "#hash",
      "https://",
      "",
      "http:javascript:alert(1)",
    ]) {
      expect(safeHref(href), href).toBeNull();
    }
  });

  test("any address that is followed is http, https or mailto", () => {
    const part = fc.constantFrom(
      "java",
      "script:",
      "http",
      "https",
      "://",
      ":",
      "\n",
      "\t",
      "data:",
      "a",
      "/",
      "mailto:",
      "\u0000",
    );
    fc.assert(
      fc.property(fc.string({ unit: part, maxLength: 8 }), (href) => {
        const safe = safeHref(href);
        if (safe !== null) expect(safe).toMatch(/^(?:https?:\/\/|mailto:)/);
      }),
      { numRuns: 5000 },
    );
  });
});

describe("blocks", () => {
  test.each([
    ["# One\n## Two ##\n#no", ["h1(One)", "h2(Two)", "p(#no)"]],
    ["Title\n===\nSub\n---", ["h1(Title)", "h2(Sub)"]],
    ["a\nb\n\nc", ["p(a\nb)", "p(c)"]],
    ["- a\n  - b\n    c\n- [x] d\n- [ ] e", ["list(p(a) list(p(b\nc)) | ☑ p(d) | ☐ p(e))"]],
    ["1. one\n\n2. two\n\ntext", ["list1(p(one) | p(two))", "p(text)"]],
    ["3) c\n4) d", ["list3(p(c) | p(d))"]],
    ["- a\n\n  more\n- b", ["list(p(a) p(more) | p(b))"]],
    ["> q\nlazy\n> - i\n\nout", ["quote(p(q\nlazy) list(p(i)))", "p(out)"]],
    ["```ts x\ncode\n  <b>\n```\nafter", ["code:ts(code\n  <b>)", "p(after)"]],
    ["~~~\na\n```\n~~~", ["code:(a\n```)"]],
    ["```\nnever ended", ["code:(never ended)"]],
    ["| a | b |\n|---|:-:|\n| 1 | `2` |\n| x |", ["table(a,b | 1,code(2) | x,)"]],
    ["a | b\nnot a table", ["p(a | b\nnot a table)"]],
    ["a \\| b | c\n--- | ---\n1 | 2", ["table(a | b,c | 1,2)"]],
    ["---\n***\n_ _ _", ["rule", "rule", "rule"]],
    ["in 1984. It was\n1984. so", ["p(in 1984. It was\n1984. so)"]],
    ["", []],
  ])("%j", (text, expected) => {
    expect(toldBlocks(text)).toEqual(expected);
  });

  test("a paragraph without an end is shown as it is", () => {
    expect(toldBlocks("x".repeat(50_000))).toEqual(["plain(50000)"]);
  });
});

describe("pages", () => {
  test("hold everything, each no more than a browser bears", () => {
    const text = `${"- item *one* two\n".repeat(5000)}\n${"| a | b |\n|---|---|\n"}${"| 1 | 2 |\n".repeat(2000)}\n${"> q\n\n".repeat(1000)}`;
    const pages = pagesOf(parseBlocks(text));
    expect(pages.length).toBeGreaterThan(20);
    const items = pages.flat().reduce((sum, block) => sum + (block.kind === "list" ? block.items.length : 0), 0);
    expect(items).toBe(5000);
    const rows = pages.flat().reduce((sum, block) => sum + (block.kind === "table" ? block.rows.length : 0), 0);
    expect(rows).toBe(2000);
    const most = Math.max(...pages.map((page) => JSON.stringify(page).split("kind").length));
    expect(most).toBeLessThan(2500);
  });

  test("of one item that is larger than a page become plain text", () => {
    const pages = pagesOf(parseBlocks(`- top\n${"  - inner *x*\n".repeat(5000)}`));
    expect(pages.flat().map((block) => block.kind)).toContain("plain");
  });

  test("of numbered lists count on", () => {
    const pages = pagesOf(parseBlocks(Array.from({ length: 1000 }, (_, n) => `${n + 1}. x`).join("\n")));
    const starts = pages.flat().map((block) => (block.kind === "list" ? block.start : null));
    expect(starts[0]).toBe(1);
    expect(starts[1]).toBeGreaterThan(100);
  });
});

describe("any text", () => {
  const unit = fc.constantFrom(
    ...["a", " ", "\n", "*", "**", "_", "`", "```", "~~", "[", "](", ")", "![", "<", ">", "> ", "- ", "1. ", "#", "# "],
    ...["|", "|-|", "---", "\\", "http://x", "\t", "é", "😀", "\ud800", "\u0000", "\u202e", "[x] ", "="],
  );

  test("keeps its letters, whatever marks stand around them", () => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        const letters = (value: string) => value.replaceAll(/[^aé😀]/gu, "").length;
        const inline = parseInline(text);
        const hrefs = JSON.stringify(inline).length;
        expect(letters(plainText(inline))).toBeLessThanOrEqual(letters(text));
        expect(hrefs).toBeLessThan(200 * (text.length + 1));
        if (!/[[<]/.test(text)) expect(letters(plainText(inline))).toBe(letters(text));
        parseBlocks(text);
      }),
      { numRuns: 5000 },
    );
  });

  test("is nested no deeper than a page can be", () => {
    const depth = (nodes: readonly Inline[]): number =>
      Math.max(0, ...nodes.map((node) => ("children" in node ? 1 + depth(node.children) : 0)));
    expect(depth(parseInline(`${"*a **b ".repeat(500)}${"** *".repeat(500)}`))).toBeLessThanOrEqual(12);
    expect(plainText(parseInline(`${"*a **b ".repeat(50)}c${"** x*".repeat(50)}`))).toContain("c");
    const blockDepth = (blocks: readonly Block[]): number =>
      Math.max(
        0,
        ...blocks.map((block) => {
          if (block.kind === "quote") return 1 + blockDepth(block.blocks);
          return block.kind === "list" ? 1 + Math.max(0, ...block.items.map((item) => blockDepth(item.blocks))) : 1;
        }),
      );
    expect(blockDepth(parseBlocks("> ".repeat(5000)))).toBeLessThanOrEqual(8);
    expect(blockDepth(parseBlocks("- ".repeat(5000)))).toBeLessThanOrEqual(8);
  });

  // Done once for every pair of characters, half a megabyte of these would take minutes: the test's timeout ends it.
  test.each([
    ...[
      "*a",
      "_a ",
      "**a_",
      "[",
      "![",
      "](",
      "[](",
      "[](<",
      '[](a "',
      "[](  ",
      "[a](b)",
      "`",
      "`a``",
      "~~",
      "> ",
      "- ",
    ],
    ...[
      "  - ",
      "1. ",
      "| a ",
      "|-",
      "\\",
      "<http:",
      "http://",
      "*a **b ",
      "***",
      "_*",
      "# ",
      "```\n",
      "- [ ] ",
      " ",
      "\n",
    ],
    ...["=\n", "a\n-\n", "> - ", "\t", "~~~\n```\n", "[x]: ", "***a** b*", "\\`", "a|b\n|-|\n"],
  ])("is read in time that grows with its length: %j", (part) => {
    const text = part.repeat(Math.ceil(500_000 / part.length));
    const blocks = parseBlocks(text);
    pagesOf(blocks);
    parseInline(text);
    parseBlocks(`${part.repeat(20)}\n`.repeat(Math.ceil(500_000 / (part.length * 20))));
    expect(blocks.length).toBeLessThanOrEqual(text.length);
  });
});
