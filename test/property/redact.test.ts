import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { configureRedaction, redactJson, redactText } from "../../src/redact/redact.ts";
import { escapeSome, json, structureDiffers, text, tokensOf } from "./redact-arbitraries.ts";

/** Whatever the generators come up with, this is in the text once and must not be in the result. */
const CORE = `Zq7Xv9${"Kp2Lm4"}Wn8Rt3`;
const STRONG_KEYS =
  "password client_secret apiKey passphrase dbPassword private_key Authorization X-Api-Key refresh_token";

afterEach(() => configureRedaction({ legacyKeys: false }));

test("redacted JSON parses and has the same structure, at every level of nesting in strings", () => {
  fc.assert(
    fc.property(json, (value) => {
      const redacted: string = redactJson(JSON.stringify(value));
      expect(structureDiffers(value, JSON.parse(redacted))).toBeNull();
    }),
    { numRuns: 3000 },
  );
});

test("the same with characters escaped that need not be", () => {
  fc.assert(
    fc.property(json, fc.nat(), (value, seed) => {
      const source = escapeSome(JSON.stringify(value), seed);
      const redacted: string = redactJson(source);
      expect(structureDiffers(JSON.parse(source), JSON.parse(redacted))).toBeNull();
      expect(redactJson(redacted)).toBe(redacted);
    }),
    { numRuns: 2000 },
  );
});

test("redaction is idempotent and deterministic", () => {
  fc.assert(
    fc.property(text, json, (words, value) => {
      const once: string = redactText(words);
      expect(redactText(once)).toBe(once);
      expect(redactText(words)).toBe(once);
      const document: string = redactJson(JSON.stringify(value));
      expect(redactJson(document)).toBe(document);
    }),
    { numRuns: 3000 },
  );
});

test("legacy keys keep all of it", () => {
  configureRedaction({ legacyKeys: true });
  fc.assert(
    fc.property(json, (value) => {
      const redacted: string = redactJson(JSON.stringify(value));
      expect(structureDiffers(value, JSON.parse(redacted))).toBeNull();
      expect(redactJson(redacted)).toBe(redacted);
    }),
    { numRuns: 1000 },
  );
});

/** Puts `value` somewhere into a document, under `key` if it has one. */
const planted = (key: fc.Arbitrary<string | null>, value: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc
    .tuple(key, value, fc.array(json, { maxLength: 3 }), fc.nat(3), fc.array(fc.boolean(), { maxLength: 3 }))
    .map(([name, secret, others, position, levels]) => {
      let document: unknown = name === null ? `see ${secret} there` : { [name]: secret };
      for (const isText of levels) {
        if (isText) document = JSON.stringify(document);
        const around = others.slice();
        around.splice(position % (others.length + 1), 0, document);
        document = isText ? { data: around } : around;
      }
      return document;
    });

test("a value under a secret key disappears, wherever it is and whatever is in it", () => {
  const value = fc
    .array(fc.constantFrom('"', "\\", '\\"', "'", "{", "}", "[", "]", ",", ":", "\n", "é", "語", "a", "9", "-", "/"), {
      maxLength: 8,
    })
    .map((parts) => CORE + parts.join("") + CORE);
  fc.assert(
    fc.property(planted(fc.constantFrom(...STRONG_KEYS.split(" ")), value), (document) => {
      expect(redactJson(JSON.stringify(document))).not.toContain(CORE);
      expect(redactText(JSON.stringify(document, null, 1))).not.toContain(CORE);
    }),
    { numRuns: 2000 },
  );
});

test("a token of any shape disappears, wherever it is", () => {
  const tokens = tokensOf("planted");
  fc.assert(
    fc.property(planted(fc.constant(null), fc.constantFrom(...tokens)), (document) => {
      const redacted: string = redactJson(JSON.stringify(document));
      for (const token of tokens) expect(redacted.includes(token), token).toBe(false);
    }),
    { numRuns: 1000 },
  );
});
