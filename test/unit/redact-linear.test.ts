/**
 * Redaction is linear in the size of the text. Each text below repeats what makes a reader look back or ahead, half a
 * megabyte of it: done twice for every character it takes a fraction of a second, done once for every pair of characters
 * it would take minutes and the test's timeout ends it.
 */

import { expect, test } from "vitest";
import { redactText } from "../../src/redact/redact.ts";
import { TOKEN_RULES } from "../../src/redact/token-rules.ts";
import { pemLine } from "../corpus/filler.ts";

const SIZE = 512 * 1024;

const UNITS = [
  ...[
    '"',
    "\\",
    '\\"',
    "'",
    "`",
    "{",
    "[",
    ":",
    "=",
    '":',
    '":"',
    '":{',
    '"]',
    "]:",
    "'password':'",
    "token':'",
    '\\\\\\"password\\\\\\":\\\\\\"',
  ],
  ...[
    '"password":"',
    '"password":{',
    '{"secret":[',
    '"secret":{"a":1,',
    '"secret":{"type":"string",',
    '"token":"a b", ',
    '"token":"a","logprob"',
  ],
  ...[
    '"env":[',
    '"headers":[["a",',
    '"name":"password",',
    '"name":"password","x":1,',
    'name="password">',
    'name="password" value=',
  ],
  ...[
    "password=",
    "password: ",
    'password="',
    "password='",
    "password=`",
    "token = ",
    "api key: ",
    "a.",
    "a=",
    "A",
    "passphrase=",
    "passphrase: a",
  ],
  ...[
    "--",
    "-----",
    pemLine("BEGIN"),
    `${pemLine("BEGIN")}\\n`,
    pemLine("END"),
    "--token ",
    '"--token","',
    "curl -u a ",
  ],
  ...[
    "x://a:b",
    "x://a:b/",
    "http://a@",
    "<password>",
    "Cookie: a=b",
    "Authorization: ",
    "Authorization: Digest ",
    "?key=",
    "123456:AA",
  ],
  ...[
    "eyJ",
    "eyJa.",
    "eyJaaaaaaaaaa.",
    "eyJaaaaaaaaaa.-",
    "login a password ",
    "\\u0022",
    "\\/",
    "[REDACTED:",
    "[31m",
    '"Password" [x]',
  ],
];

test.each(UNITS)("%s, again and again", (unit) => {
  for (const before of ["", '"secret":["']) {
    const text = before + unit.repeat(Math.ceil(SIZE / unit.length));
    expect(redactText(text).length).toBeGreaterThan(0);
  }
});

test("the beginnings of tokens, again and again", () => {
  const literals = TOKEN_RULES.flatMap((rule) => rule.literals);
  for (const literal of literals) {
    for (const unit of [literal, `${literal}a-`, `${literal}aB3.`]) {
      expect(redactText(unit.repeat(Math.ceil(SIZE / 8 / unit.length))).length).toBeGreaterThan(0);
    }
  }
});

test("a hundred thousand levels of arrays under a secret key", () => {
  const depth = 100_000;
  const text = `{"secret":${"[".repeat(depth)}"x1"${"]".repeat(depth)}}`;
  expect(redactText(text)).toContain("[REDACTED:key]");
});
