import { describe, expect, test } from "vitest";
import { redactText } from "../../src/redact/redact.ts";
import { TOKEN_RULES } from "../../src/redact/token-rules.ts";
import { expand } from "../corpus/filler.ts";

/** What may stand around a token. */
const AROUND: [before: string, after: string][] = [
  ["", ""],
  ["(", ")"],
  ["'", "'"],
  ['"', '"'],
  ["`", "`"],
  ["key is ", "."],
  ["a\n", "\nb"],
  ["a\\n", "\\nb"],
  ["a\\t", "\\n"],
  ["a\\\\n", "\\\\n"],
  ["x/", "?y"],
  ["<b>", "</b>"],
  ["\u001b[1;32m", "\u001b[0m"],
  ["\\u001b[32m", "\\u001b[0m"],
  ["é", "é"],
  ["語", "語"],
  ["[", "]"],
];

const samples = TOKEN_RULES.flatMap((rule, i) =>
  rule.literals.map((literal) => {
    const sample = rule.literals[0] === undefined ? rule.sample : rule.sample.replace(rule.literals[0], literal);
    return { kind: rule.kind, literal, rule, token: expand(sample, `${literal}${i}`) };
  }),
);

describe.each(samples)("$kind: $literal…", ({ kind, rule, token }) => {
  const kept = token.slice(0, rule.keeps?.(token) ?? 0);

  test("is masked whatever stands around it", () => {
    for (const [before, after] of AROUND) {
      expect(redactText(`${before}${token}${after}`), `${before}…${after}`).toContain(
        `${before}${kept}[REDACTED:${kind}]`,
      );
    }
  });

  // A password may be short.
  const isToken = !kind.endsWith("-password");
  if (isToken)
    test("is not masked when it is short or part of a word", () => {
      const short = token.slice(0, Math.max(kept.length, rule.literals[0]?.length ?? 0) + 4);
      expect(redactText(`see ${short} there`)).toBe(`see ${short} there`);
    });
});

test("every rule is announced by what a reader of the table sees", () => {
  for (const rule of TOKEN_RULES) {
    expect(rule.kind).toMatch(/^[a-z][a-z0-9-]{1,31}$/);
    expect(
      rule.literals.some((literal) => rule.sample.startsWith(literal)),
      rule.kind,
    ).toBe(true);
  }
});

test("shapes of documentation are left", () => {
  for (const text of [
    `ghp_${"x".repeat(36)}`,
    "sk-your-api-key-goes-here-please",
    `AKIA${"X".repeat(16)}`,
    "xoxb-your-token-here",
  ]) {
    expect(redactText(text)).toBe(text);
  }
});

test("names that begin like keys are left", () => {
  for (const text of [
    "sk-fading-circle-container-large",
    "key-value-store-adapter",
    "hf_hub_download_with_progress_bars",
    "npm_config_user_agent",
  ]) {
    expect(redactText(text)).toBe(text);
  }
});
