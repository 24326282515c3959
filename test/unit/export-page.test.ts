import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExact, stringifyExact } from "../../src/core/exact-json.ts";
import { CARRIED_RUN_ID, carriedRun } from "../../src/core/export/carried-run.ts";
import { foldRun } from "../../src/core/fold.ts";
import type { Run } from "../../src/core/run.ts";
import { exportedRun } from "../../src/service/export/exported-run.ts";
import type { PageFiles } from "../../src/service/page/page-files.ts";
import { eventsOfRun } from "../../src/viewer/data/run-events.ts";
import { type Made, madeRun } from "./compare-fixture.ts";

const NOW = Date.UTC(2026, 10, 30, 12);

const PAGE: PageFiles = {
  html: "",
  files: [
    {
      path: "/main.js",
      type: "text/javascript;charset=utf-8",
      text: 'const a = "</script><!--<script>";\r\nconst b = a;',
    },
    { path: "/page.css", type: "text/css;charset=utf-8", text: 'p::after { content: "</style>"; }' },
  ],
};

const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<!-- <script>",
  "]]> --> <![CDATA[",
  "&lt;&amp;&#60;",
  "\u2028\u2029\u0000\u0007\u001b[31m\u0085\ufeff\u202e",
  "lone \ud800 and \udfff",
  "\r\n\r\t'\"`$\\",
  "😀\u{10ffff}\ufffe",
].join("\n");

interface Parsed {
  tags: string[];
  /** Text of each script and style, as it stands in the file. */
  raw: { tag: string; attributes: Record<string, string>; text: string }[];
  title: string;
  metas: Record<string, string>;
}

/** As an HTML parser sees it. */
function parsed(html: string): Parsed {
  const seen: Parsed = { tags: [], raw: [], title: "", metas: {} };
  new HTMLRewriter()
    .on("*", {
      element: (element) => {
        const attributes = Object.fromEntries(
          [...element.attributes].map(([name, value]) => [name ?? "", value ?? ""]),
        );
        seen.tags.push(element.tagName);
        if (["script", "style"].includes(element.tagName))
          seen.raw.push({ tag: element.tagName, attributes, text: "" });
        if (element.tagName === "meta")
          seen.metas[attributes["http-equiv"] ?? attributes.name ?? ""] = attributes.content ?? "";
      },
    })
    .on("script, style", {
      text: (chunk) => {
        const last = seen.raw.at(-1);
        if (last !== undefined) last.text += chunk.text;
      },
    })
    .on("title", {
      text: (chunk) => {
        seen.title += chunk.text;
      },
    })
    .transform(html);
  return seen;
}

const htmlOf = (run: Run) => exportedRun(run, "html", PAGE, NOW).text;

function carriedBy(html: string): unknown {
  const data = parsed(html).raw.find(({ attributes }) => attributes.id === CARRIED_RUN_ID);
  return parseExact(data?.text ?? "");
}

/** Whether two values are the same to the last character and digit. */
function expectSame(left: unknown, right: unknown): void {
  expect(stringifyExact(left)).toBe(stringifyExact(right));
}

const hostileRun = madeRun(
  "run_1",
  [
    {
      tool: HOSTILE,
      server: HOSTILE,
      args: { [HOSTILE]: HOSTILE, n: parseExact("12345678901234567890"), one: parseExact("1.0") },
      result: { content: [{ type: "text", text: HOSTILE }], __proto__: null },
      error: HOSTILE,
    },
  ],
  { input: HOSTILE, finalAnswer: HOSTILE, notes: [{ kind: "text", text: HOSTILE, at: NOW, seq: 9, agentId: HOSTILE }] },
);

describe("a run as one HTML file", () => {
  test("has the elements of the page and no other, whatever was recorded", () => {
    const expected = parsed(htmlOf(madeRun("run_1", [])));
    const { tags, raw } = parsed(htmlOf(hostileRun));
    expect(tags).toEqual(expected.tags);
    expect(raw.map(({ tag, attributes }) => `${tag} ${attributes.type ?? ""}`)).toEqual([
      "style ",
      "script application/json",
      "script module",
    ]);
  });

  test("carries the run as it was recorded", () => {
    const html = htmlOf(hostileRun);
    expect(html.isWellFormed()).toBe(true);
    expectSame(carriedBy(html), { version: 1, savedAt: NOW, cutCount: 0, run: hostileRun });
  });

  test("lets nothing run but its own script, and loads and sends nothing", () => {
    const { metas, raw } = parsed(htmlOf(hostileRun));
    const hash = (tag: string, type?: string) => {
      const text = raw.find((one) => one.tag === tag && one.attributes.type === type)?.text ?? "";
      return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    };
    expect(metas["Content-Security-Policy"]).toBe(
      `default-src 'none'; script-src ${hash("script", "module")}; style-src ${hash("style")}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(metas.referrer).toBe("no-referrer");
  });

  test("spells what HTML would take for an end otherwise, in the script too", () => {
    const script = parsed(htmlOf(hostileRun)).raw.at(-1)?.text ?? "";
    expect(script).not.toMatch(/<!--|<\/?script|\r/i);
    expect(new Function(`${script}; return a;`)()).toBe("</script><!--<script>");
  });

  test("is titled by its prompt", () => {
    expect(parsed(htmlOf(madeRun("run_1", [], { input: '\n  Fix <b> & "that"\nnow' }))).title).toBe(
      "Fix &#60;b&#62; &#38; &#34;that&#34; · bir",
    );
    expect(parsed(htmlOf(madeRun("run_1", []))).title).toBe("Run run_1 · bir");
  });

  test("needs a page, in one script", () => {
    const run = madeRun("run_1", []);
    expect(() => exportedRun(run, "html", null, NOW)).toThrow("never built");
    expect(() => exportedRun(run, "html", { html: "", files: [] }, NOW)).toThrow("not complete");
    expect(() => exportedRun(run, "html", { html: "", files: [...PAGE.files, ...PAGE.files] }, NOW)).toThrow();
    expect(exportedRun(run, "md", null, NOW)).toMatchObject({
      type: "text/markdown; charset=utf-8",
      fileName: "run_1.md",
    });
    expect(exportedRun({ ...run, id: '../"x' }, "ndjson", null, NOW).fileName).toBe("____x.ndjson");
  });

  test("carries any text and any value", () => {
    const unit = fc.oneof(
      fc.constantFrom(
        "<",
        ">",
        "&",
        "/",
        "!",
        "-",
        "script",
        "</script>",
        "<!--",
        "]]>",
        "\u2028",
        "\r",
        "\n",
        "\0",
        '"',
        "\\",
      ),
      fc.string({ unit: "binary" }),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    const anyText = fc.array(unit, { maxLength: 20 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(anyText, fc.jsonValue(), (text, value) => {
        const run = madeRun("run_1", [{ args: { [text]: text }, result: value, error: text }], { input: text });
        const html = htmlOf(run);
        expectSame(carriedBy(html), { version: 1, savedAt: NOW, cutCount: 0, run });
        expect(parsed(html).tags).toHaveLength(15);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a run that is too large for a file", () => {
  const long = (length: number): Made => ({ args: { text: "a".repeat(length) }, result: "r" });

  test("keeps what is short whole, and of the largest the beginning and the end", () => {
    const run = madeRun("run_1", [long(100), long(50_000), long(9_000)], {
      notes: [{ kind: "thought", text: "t".repeat(40_000), at: NOW, seq: 9, agentId: null }],
    });
    const { run: cut, cutCount } = carriedRun(run, NOW, 30_000);
    expect(cutCount).toBe(2);
    expect([cut.steps[0], cut.steps[2]]).toEqual([run.steps[0], run.steps[2]]);
    expect(cut.steps[1]).toMatchObject({
      truncated: true,
      args: { truncated: true, originalBytes: 50_011 },
      result: "r",
    });
    expect(cut.notes[0]?.text).toMatch(/^t{5000,5500}\n\[…\]\nt{5000,5500}$/);
    expect(stringifyExact(cut).length).toBeLessThan(32_000);
    expect(carriedRun(run, NOW).run).toBe(run);
  });
});

describe("a saved run as events", () => {
  test("folds to the run it was", () => {
    const status = fc.constantFrom("ok", "error", "cancelled", "denied", "lost");
    const call = fc.record({
      tool: fc.string(),
      args: fc.jsonValue(),
      result: fc.jsonValue(),
      status,
      gap: fc.nat(50),
      ms: fc.nat(90),
      agentId: fc.constantFrom(null, "agent-1"),
      context: fc.constantFrom(null, "thought"),
      truncated: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 10 }), fc.option(fc.string()), fc.boolean(), (calls, input, isLossy) => {
        const gaps = isLossy ? [{ reason: "rejected", lost: 2, at: NOW }] : [];
        const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 };
        const notes = [{ kind: "text" as const, text: "n", at: NOW, seq: 50, agentId: null }];
        const run = madeRun("run_1", calls, { input, usage, gaps, lossy: isLossy, notes, hostHookCalls: 3 });
        expect(foldRun(eventsOfRun(run))).toEqual(run);
      }),
    );
  });

  test("a call that is under way stays so", () => {
    const running = { status: "running", durationMs: null, result: null, legs: 2, progress: 3 } as const;
    const run = madeRun("run_1", [running], { status: "running", endedAt: null });
    expect(foldRun(eventsOfRun(run))).toEqual(run);
  });
});
