import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTerminalText, terminalText } from "../../src/viewer/inspect/terminal/ansi.ts";
import { contrast, lookStyle, readable, TERMINAL_SURFACES } from "../../src/viewer/inspect/terminal/look.ts";
import { lookAfter, PLAIN } from "../../src/viewer/inspect/terminal/sgr.ts";

/** Terminal output: what is obeyed, what is left out, and that everything can be read. */

const ESC = "\u001b";

function shown(text: string): string[] {
  return terminalText(text).lines.map((line) => line.text);
}

describe("movement", () => {
  test.each([
    ["writes over what a carriage return went back to", "10%\r100%\nab\rc", ["100%", "cb"]],
    ["goes back by one", "abc\b\bX", ["aXc"]],
    ["erases the rest of a line", `abcdef\r${ESC}[3C${ESC}[K`, ["abc"]],
    ["erases a whole line", `abc${ESC}[2K\rx`, ["x"]],
    ["erases up to the cursor", `abcdef\r${ESC}[2C${ESC}[1K`, ["   def"]],
    ["goes up and over", `one\ntwo\r${ESC}[1AONE`, ["ONE", "two"]],
    ["goes to a column", `abcdef${ESC}[2Gx`, ["axcdef"]],
    ["goes to a place", `a\nb\nc${ESC}[2;1Hx`, ["a", "x", "c"]],
    ["keeps what was before the screen was cleared", `old${ESC}[2J${ESC}[Hnew`, ["old", "new"]],
    ["erases below", `a\nb\nc${ESC}[2A\r${ESC}[Jx`, ["x"]],
    ["stands at stops of eight", "a\tb", ["a       b"]],
    ["ends lines as Windows does", "a\r\nb\r\n", ["a", "b"]],
  ])("%s", (_, text, lines) => {
    expect(shown(text)).toEqual(lines);
  });

  test("nobody writes far above what is on the screen", () => {
    const many = Array.from({ length: 200 }, (_, n) => `line ${n}`).join("\n");
    const lines = shown(`${many}${ESC}[500A\rX`);
    expect(lines[0]).toBe("line 0");
    expect(lines[150]).toBe("Xine 150");
  });
});

describe("what is left out", () => {
  test("leaves a mark and is counted by name", () => {
    const { lines, leftOut } = terminalText(`a${ESC}]0;title\u0007b${ESC}]52;c;eA==${ESC}\\c${ESC}[?25ld${ESC}[6ne`);
    expect(lines.map((line) => line.text)).toEqual(["a␛b␛c␛d␛e"]);
    expect(leftOut).toEqual({ count: 4, kinds: ["OSC 0;", "OSC 52;", "CSI ?25l", "CSI 6n"] });
  });

  test("a link is its text and its address", () => {
    expect(shown(`see ${ESC}]8;;https://example.org/x${ESC}\\here${ESC}]8;;${ESC}\\.`)).toEqual([
      "see here <https://example.org/x>.",
    ]);
    expect(shown(`${ESC}]8;;javascript:alert(1)\u0007here`)).toEqual(["here <javascript:alert(1)>"]);
  });

  test("a sequence without an end takes nothing with it", () => {
    expect(shown(`${ESC}]0;never ended\nnext`)).toEqual(["␛", "next"]);
    expect(shown(`${ESC}[`)).toEqual(["␛"]);
    expect(shown(ESC)).toEqual(["␛"]);
    expect(shown(`${ESC}[31`)).toEqual(["␛31"]);
  });

  test("other control characters stay, to be shown as what they are", () => {
    expect(shown("a\u0000b\u0001")).toEqual(["a\u0000b\u0001"]);
  });
});

describe("looks", () => {
  test("follow the sequences", () => {
    expect(lookAfter(PLAIN, "1;31")).toMatchObject({ isBold: true, foreground: 1 });
    expect(lookAfter(PLAIN, "38;5;208")).toMatchObject({ foreground: 208 });
    expect(lookAfter(PLAIN, "48;2;1;2;3")).toMatchObject({ background: [1, 2, 3] });
    expect(lookAfter(PLAIN, "38:2::9:8:7")).toMatchObject({ foreground: [9, 8, 7] });
    expect(lookAfter(PLAIN, "38:2:9:8:7")).toMatchObject({ foreground: [9, 8, 7] });
    expect(lookAfter(PLAIN, "38;2;999;0;0;1")).toMatchObject({ foreground: null, isBold: true });
    expect(lookAfter(PLAIN, "97;100")).toMatchObject({ foreground: 15, background: 8 });
    expect(lookAfter(lookAfter(PLAIN, "1;4;7;31"), "")).toEqual(PLAIN);
    expect(lookAfter(lookAfter(PLAIN, "1;31"), "22;39")).toEqual(PLAIN);
    expect(lookAfter(PLAIN, "77;38;5")).toMatchObject({ foreground: 0 });
  });

  test("are spans over the text they stand for", () => {
    const [line] = terminalText(`a${ESC}[1mbc${ESC}[0md${ESC}[3me`).lines;
    expect(line?.text).toBe("abcde");
    expect(line?.spans?.map(({ start, end, class: name }) => [start, end, name])).toEqual([
      [1, 3, "bold"],
      [4, 5, "italic"],
    ]);
  });

  test("can be read on the page's own surfaces, whatever colour was asked for", () => {
    const tokens = readFileSync(join(import.meta.dirname, "../../src/viewer/styles/tokens.css"), "utf8");
    const [, light = "", dark = ""] = /--surface-sunken: light-dark\(#(\w{6}), #(\w{6})\)/.exec(tokens) ?? [];
    const rgb = (hex: string) => [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    expect(rgb(light)).toEqual([...TERMINAL_SURFACES.light]);
    expect(rgb(dark)).toEqual([...TERMINAL_SURFACES.dark]);
    const byte = fc.nat(255);
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte), fc.tuple(byte, byte, byte), (wanted, ground) => {
        expect(contrast(readable(wanted, ground), ground)).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 3000 },
    );
    for (let color = 0; color < 256; color++) {
      const style = lookStyle({ ...PLAIN, foreground: color })?.color ?? "";
      const [onLight = [], onDark = []] = [...style.matchAll(/rgb\((\d+) (\d+) (\d+)\)/g)].map((m) =>
        m.slice(1).map(Number),
      );
      expect(contrast(onLight as never, TERMINAL_SURFACES.light)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(onDark as never, TERMINAL_SURFACES.dark)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

describe("any text", () => {
  const unit = fc.constantFrom(
    ...[
      "a",
      "é",
      "😀",
      "\n",
      "\r",
      "\t",
      "\b",
      ESC,
      `${ESC}[`,
      `${ESC}]`,
      `${ESC}]8;;x`,
      `${ESC}\\`,
      "\u0007",
      "\u009b",
    ],
    ...["1", "9999", ";", "m", "A", "B", "C", "D", "H", "J", "K", "2J", "\u0000", "\ud800", `${ESC}[31m`, `${ESC}[1K`],
  );

  test("becomes lines without escapes that a terminal would obey, in bounds", () => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), (text) => {
        const { lines } = terminalText(text);
        const all = lines.map((line) => line.text).join("");
        expect(all).not.toContain(ESC);
        expect(all.length).toBeLessThanOrEqual(3 * text.length + 10_500);
        expect(lines.length).toBeLessThanOrEqual(3 * text.length + 10_500);
        for (const line of lines) {
          let at = 0;
          for (const { start, end } of line.spans ?? []) {
            expect(start).toBeGreaterThanOrEqual(at);
            expect(end).toBeGreaterThan(start);
            at = end;
          }
          expect(at).toBeLessThanOrEqual(line.text.length);
        }
      }),
      { numRuns: 3000 },
    );
  });

  // Done once for every pair of characters, half a megabyte of these would take minutes: the test's timeout ends it.
  test.each([
    `${ESC}[`,
    `${ESC}]`,
    `${ESC}]8;;`,
    `${ESC}[1;`,
    `${ESC}[9999C.`,
    `${ESC}[9999B.`,
    `x${ESC}[1K`,
    `${ESC}[2J.`,
    `${ESC}[H.${ESC}[J`,
    `${ESC}[38;2;1;2;3m.`,
    "\b.",
    "\r.",
    "\t",
    ".\n",
  ])("is read in time that grows with its length: %j", (part) => {
    const text = part.repeat(Math.ceil(500_000 / part.length));
    const { lines } = terminalText(text);
    const written = lines.reduce((sum, line) => sum + line.text.length, 0);
    expect(written).toBeLessThanOrEqual(9 * text.length + 10_500);
  });

  test("is a terminal's only where it says so", () => {
    expect(isTerminalText("plain\r\ntext\n")).toBe(false);
    expect(isTerminalText(`${ESC}[31m`)).toBe(true);
    expect(isTerminalText("10%\r20%")).toBe(true);
  });
});
