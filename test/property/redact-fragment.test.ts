import fc from "fast-check";
import { expect, test } from "vitest";
import { endsInsideSecret, redactFragment } from "../../src/redact/fragment.ts";
import { filler, pemLine } from "../corpus/filler.ts";
import { json, text, tokensOf } from "./redact-arbitraries.ts";

/** Characters of a secret in a row that a cut may not show. */
const LEAK = 8;

const body = Array.from({ length: 6 }, (_, i) => filler(`pem${i}`, 64, "base64"));
const KEYED = [
  "swordfish-and-more",
  "pa\"ss\\word'99x",
  filler("keyed", 40),
  "one two three four five",
  "p{a}s[s],w:o;r=d9",
];
const PRIVATE_KEY = `${pemLine("BEGIN")}\n${body.join("\n")}\n${pemLine("END")}\n`;
const URL_PASSWORD = filler("url", 18);
const HEADER = filler("header", 30);
const ENV = filler("env", 20);
// Without those whose sample has a plain number, which other texts have too.
const TOKENS = tokensOf("cut").filter((token) => !token.includes("12345678"));

/** Texts with secrets in them, beside any other text. */
const secretText = fc.oneof(
  fc.constantFrom(...TOKENS).map((token) => `used ${token} for it`),
  fc.constantFrom(...KEYED).map((secret) => JSON.stringify({ before: 1, password: secret, after: "x" })),
  fc.constant(`-H 'Authorization: Bearer ${HEADER}' done`),
  fc.constant(`DB_PASSWORD=${ENV}\nNEXT=1\n`),
  fc.constant(`postgres://app:${URL_PASSWORD}@db.example.com/x`),
  fc.constant(PRIVATE_KEY),
  fc.constant(JSON.stringify({ env: { FIRST: ENV, SECOND: HEADER }, headers: { "X-One": URL_PASSWORD } })),
);

const document = fc
  .tuple(fc.array(fc.oneof(secretText, text), { minLength: 1, maxLength: 4 }), json, fc.constantFrom(...KEYED))
  .map(([texts, other, secret]) =>
    JSON.stringify({
      content: texts.map((one) => ({ type: "text", text: one })),
      structuredContent: { other, client_secret: secret },
    }),
  );

/** Tokens without the beginning that all of their kind have. */
const SECRETS = [...TOKENS.map((token) => token.slice(14)), ...KEYED, ...body, URL_PASSWORD, HEADER, ENV];

/** Every run of `LEAK` characters of every secret, as it is written at the first levels of nesting. */
const PIECES = new Set(
  SECRETS.flatMap((secret) => {
    const written = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    ];
    const pieces = written.flatMap((one) =>
      Array.from({ length: Math.max(0, one.length - LEAK + 1) }, (_, i) => one.slice(i, i + LEAK)),
    );
    return pieces.filter((piece) => /[A-Za-z0-9]{3}/.test(piece));
  }),
);

function leakIn(text: string): string | null {
  const redacted = text.replace(/\[REDACTED:[a-z0-9-]+\]/g, "[]");
  for (let i = 0; i + LEAK <= redacted.length; i++) {
    const piece = redacted.slice(i, i + LEAK);
    if (PIECES.has(piece)) return redacted.slice(Math.max(0, i - 40), i + 40);
  }
  return null;
}

test("a message cut anywhere shows no part of a secret, in its head or in its tail", () => {
  fc.assert(
    fc.property(document, (message) => {
      for (let at = 0; at <= message.length; at++) {
        const head = message.slice(0, at);
        expect(leakIn(redactFragment(head, { cutStart: false, cutEnd: true })), `head of ${head}`).toBeNull();
        if (endsInsideSecret(head)) continue;
        const tail = message.slice(at);
        expect(leakIn(redactFragment(tail, { cutStart: true, cutEnd: false })), `tail ${tail}`).toBeNull();
      }
    }),
    { numRuns: 60 },
  );
});

test("an uncut fragment is redacted like any text, and no fragment throws", () => {
  fc.assert(
    fc.property(text, fc.boolean(), fc.boolean(), (fragment, cutStart, cutEnd) => {
      const redacted: string = redactFragment(fragment, { cutStart, cutEnd });
      expect(typeof redacted).toBe("string");
    }),
    { numRuns: 2000 },
  );
});
