// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts hold references such as ${TOKEN}.
import { afterEach, describe, expect, test } from "vitest";
import { configureRedaction, redactJson, redactText, trustedJson, trustedText } from "../../src/redact/redact.ts";
import { filler, pemLine } from "../corpus/filler.ts";

afterEach(() => configureRedaction({ legacyKeys: false }));

/** `redactJson` of a value, parsed again. */
const redacted = (value: unknown): unknown => JSON.parse(redactJson(JSON.stringify(value)));

describe("what is returned", () => {
  test("the very same string when there is nothing to mask", () => {
    const text = `{"a": [1.0, 12345678901234567890, -0, 1E400], "b":"\\u00e9\\/ \\u2028","a":null}`;
    expect(Object.is(redactJson(text), text)).toBe(true);
    const prose = "The password must be at least 12 characters.";
    expect(Object.is(redactText(prose), prose)).toBe(true);
    expect(redactText("")).toBe("");
    expect(redactJson('""')).toBe('""');
  });

  test("everything but the secret, character by character", () => {
    const text = '{ "n":1.0 ,\t"big":12345678901234567890,"é":"\\u00e9\\/x", "api_key" : "k-1" ,"n":2}';
    expect(redactJson(text)).toBe(
      '{ "n":1.0 ,\t"big":12345678901234567890,"é":"\\u00e9\\/x", "api_key" : "[REDACTED:key]" ,"n":2}',
    );
  });

  test("trusted texts as they are", () => {
    expect(trustedText("password=hunter2")).toBe("password=hunter2");
    expect(trustedJson('{"password":"x"}')).toBe('{"password":"x"}');
  });
});

describe("values under secret keys", () => {
  test("strings, long numbers and every leaf of an object", () => {
    expect(
      redacted({
        password: "x1",
        pin: { password: 1234, n: 7 },
        secret: [["a"], { b: "c", n: 1234567890, t: true, z: null }],
      }),
    ).toEqual({
      password: "[REDACTED:key]",
      pin: { password: "[REDACTED:key]", n: 7 },
      secret: [["[REDACTED:key]"], { b: "[REDACTED:key]", n: "[REDACTED:key]", t: true, z: null }],
    });
  });

  test("not what only describes the secret", () => {
    const value = {
      credentials: { type: "basic", name: "ci", id: 7, secretName: "db", created_at: "2026-01-01", expires: "never" },
    };
    expect(redacted(value)).toEqual(value);
  });

  test("not booleans, null, small numbers, empty strings, references and masks", () => {
    const value = {
      a: { password: true, token: null, secret: 3, apiKey: "" },
      b: { password: "${PASSWORD}", token: "<your-token>", secret: "***", apiKey: "[REDACTED]" },
      c: { password: "{{ vault.password }}", token: "$TOKEN", secret: "op://vault/item/field", apiKey: "YOUR_API_KEY" },
    };
    expect(redacted(value)).toEqual(value);
  });

  test("not a schema, but a typed value is none", () => {
    const schema = {
      password: { description: "x", type: "string", minLength: 8 },
      token: { anyOf: [{ type: "string" }] },
    };
    expect(redacted(schema)).toEqual(schema);
    expect(redacted({ password: { type: "string", value: "hunter2" } })).toEqual({
      password: { type: "string", value: "[REDACTED:key]" },
    });
  });

  test("a piece of text called token is none, a token is", () => {
    const pieces = [
      { token: "Hello", logprob: -0.1 },
      { token: " there", logprob: -0.2 },
    ];
    expect(redacted(pieces)).toEqual(pieces);
    expect(redacted({ token: "Hello" })).toEqual({ token: "[REDACTED:key]" });
  });

  test("the value beside a name", () => {
    expect(
      redacted([
        { name: "DB_PASSWORD", type: "text", value: "x1y2" },
        { name: "REGION", value: "eu" },
      ]),
    ).toEqual([
      { name: "DB_PASSWORD", type: "text", value: "[REDACTED:key]" },
      { name: "REGION", value: "eu" },
    ]);
  });
});

describe("env and headers", () => {
  test("every string of an env object, the values of a list of assignments, the value of a pair", () => {
    expect(redacted({ env: { A: "a", B: 1, C: true, D: "${D}", E: "" } })).toEqual({
      env: { A: "[REDACTED:env]", B: 1, C: true, D: "${D}", E: "" },
    });
    expect(redacted({ environment: ["A=b", "PATH"] })).toEqual({ environment: ["A=[REDACTED:env]", "PATH"] });
    expect(redacted({ env: [{ name: "A", value: "b" }] })).toEqual({ env: [{ name: "A", value: "[REDACTED:env]" }] });
    expect(redacted({ env: "production" })).toEqual({ env: "production" });
  });

  test("values of headers but for those that never hold a secret", () => {
    expect(redacted({ headers: { Accept: "a", "X-Any": "b", "content-type": "c", "Set-Cookie": ["d", "e"] } })).toEqual(
      {
        headers: {
          Accept: "a",
          "X-Any": "[REDACTED:header]",
          "content-type": "c",
          "Set-Cookie": ["[REDACTED:header]", "[REDACTED:header]"],
        },
      },
    );
    expect(
      redacted({
        headers: [
          ["Accept", "a"],
          ["X-Any", "b"],
        ],
      }),
    ).toEqual({
      headers: [
        ["Accept", "a"],
        ["X-Any", "[REDACTED:header]"],
      ],
    });
    expect(
      redacted({
        headers: [
          { name: "Accept", value: "a" },
          { name: "X-Any", value: "b" },
        ],
      }),
    ).toEqual({
      headers: [
        { name: "Accept", value: "a" },
        { name: "X-Any", value: "[REDACTED:header]" },
      ],
    });
    expect(redacted({ headers: ["Accept: a", "X-Any: b"] })).toEqual({
      headers: ["Accept: a", "X-Any: [REDACTED:header]"],
    });
  });

  test("the heads of a table's columns are no headers", () => {
    const table = { headers: ["Name", "Token", "Password"], rows: [["a", "b", "c"]] };
    expect(redacted(table)).toEqual(table);
  });

  test("a token in a value that stays is masked", () => {
    const token = `ghp_${filler("safe", 36)}`;
    expect(redacted({ headers: { Referer: `https://x.example/?a=${token}` } })).toEqual({
      headers: { Referer: "https://x.example/?a=[REDACTED:github-token]" },
    });
  });
});

describe("JSON in strings", () => {
  test("stays JSON at every level", () => {
    let text = JSON.stringify({ password: 'a"b\\c', n: 12345, pin: { secret: 99887766 } });
    for (let level = 1; level <= 4; level++) {
      text = JSON.stringify({ level, text });
      let inner: unknown = JSON.parse(redactJson(text));
      for (let i = 0; i < level; i++) inner = JSON.parse((inner as { text: string }).text);
      expect(inner).toEqual({ password: "[REDACTED:key]", n: 12345, pin: { secret: "[REDACTED:key]" } });
    }
  });

  test("is seen through needless escapes", () => {
    expect(redactJson('{"t":"{\\u0022password\\u0022:\\u0022a\\\\\\u0022b\\u0022}"}')).toBe(
      '{"t":"{\\u0022password\\u0022:\\u0022[REDACTED:key]\\u0022}"}',
    );
    expect(redactJson('{"t":"https:\\/\\/u:pw12@h\\/p"}')).toBe(
      '{"t":"https:\\/\\/u:[REDACTED:url-credentials]@h\\/p"}',
    );
    expect(redactJson('{"t":"\\\\\\/","client_secret":"swordfish"}')).toBe(
      '{"t":"\\\\\\/","client_secret":"[REDACTED:key]"}',
    );
  });

  test("a key at the end of a string does not reach for the next member", () => {
    const value = {
      prompt: "Enter password: ",
      next: "b",
      flag: "--token",
      client: "x",
      repr: "'password': '",
      other: "'env': {",
    };
    expect(redacted(value)).toEqual(value);
  });
});

describe("legacy keys", () => {
  test("mask whatever has a secret word in it", () => {
    const value = {
      max_tokens: 4096,
      nextPageToken: "abc",
      tokenizer: "bpe",
      secretary: "Ann",
      author: "Bob",
      passwordPolicy: { min: "eight" },
    };
    expect(redacted(value)).toEqual(value);
    configureRedaction({ legacyKeys: true });
    expect(redacted(value)).toEqual({
      max_tokens: "[REDACTED:key]",
      nextPageToken: "[REDACTED:key]",
      tokenizer: "[REDACTED:key]",
      secretary: "[REDACTED:key]",
      author: "Bob",
      passwordPolicy: { min: "[REDACTED:key]" },
    });
  });

  test("let a key be whose own secret was masked", () => {
    configureRedaction({ legacyKeys: true });
    const masked = { "[REDACTED:google-token]": { a: "plain" } };
    expect(redacted(masked)).toEqual(masked);
  });

  test("leave schemas alone", () => {
    configureRedaction({ legacyKeys: true });
    const schema = { properties: { max_tokens: { type: "integer", default: 4096 } } };
    expect(redacted(schema)).toEqual(schema);
  });
});

describe("text", () => {
  test("keeps user and host of a URL", () => {
    expect(redactText("postgres://app:s3cr3t@db.example.com:5432/x")).toBe(
      "postgres://app:[REDACTED:url-credentials]@db.example.com:5432/x",
    );
  });

  test("keeps the scheme of an authorization", () => {
    expect(redactText("Authorization: Bearer abc-1")).toBe("Authorization: Bearer [REDACTED:key]");
    expect(redactText(`sent Bearer ${filler("b", 24)}.`)).toBe("sent Bearer [REDACTED:bearer]");
  });

  test("ends a value where its line, its quotes or its parameter ends", () => {
    expect(redactText("PASSWORD=a;b,c d\nX=1")).toBe("PASSWORD=[REDACTED:key] d\nX=1");
    expect(redactText("?token=abc&x=1")).toBe("?token=[REDACTED:key]&x=1");
    expect(redactText("password = 'a b', x")).toBe("password = '[REDACTED:key]', x");
    expect(redactText("Server=x;Password=ab1;Database=y")).toBe("Server=x;Password=[REDACTED:key];Database=y");
  });

  test("masks a whole private key and nothing after it", () => {
    const key = `${pemLine("BEGIN")}\n${filler("pem", 64, "base64")}\n${pemLine("END")}`;
    expect(redactText(`a\n${key}\nb`)).toBe("a\n[REDACTED:private-key]\nb");
    expect(redactText(`a\n${key.slice(0, 80)}`)).toBe("a\n[REDACTED:private-key]");
  });
});
