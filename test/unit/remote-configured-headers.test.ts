import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/core/exit-codes.ts";
import { Problem } from "../../src/core/problem.ts";
import { readConfiguredHeaders } from "../../src/upstream/remote/configured-headers.ts";

interface Given {
  json?: unknown;
  lines?: string[];
  bearer?: string;
  env?: Record<string, string>;
}

function environment({ json, env = {} }: Given): Record<string, string | undefined> {
  if (json === undefined) return { ...env };
  return { BIR_UPSTREAM_HEADERS: typeof json === "string" ? json : JSON.stringify(json), ...env };
}

function read(given: Given, env = environment(given)) {
  return readConfiguredHeaders({ headerLines: given.lines ?? [], bearerVariable: given.bearer ?? null }, env);
}

/** What is printed when it cannot be done. */
function complaint(given: Given, env = environment(given)): string {
  try {
    read(given, env);
  } catch (cause) {
    expect(cause).toBeInstanceOf(Problem);
    const { message, hint, exitCode } = cause as Problem;
    expect(exitCode).toBe(EXIT.usage);
    return `${message}. ${hint}`;
  }
  throw new Error("nothing was wrong");
}

describe("configured headers", () => {
  test.each<[string, Given, [string, string][]]>([
    ["none", {}, []],
    ["an empty variable", { json: "" }, []],
    ["an empty object", { json: {} }, []],
    [
      "JSON",
      { json: { "X-One": "1", Authorization: "Basic abc==" } },
      [
        ["X-One", "1"],
        ["Authorization", "Basic abc=="],
      ],
    ],
    ["a bearer token", { bearer: "TOKEN", env: { TOKEN: "abc" } }, [["authorization", "Bearer abc"]]],
    [
      "lines",
      { lines: ["A: 1", "B:2", "C :\t3 : 4 "] },
      [
        ["A", "1"],
        ["B", "2"],
        ["C", "3 : 4"],
      ],
    ],
    [
      "an empty value",
      { lines: ["X-Empty:"], json: { "X-None": "" } },
      [
        ["X-None", ""],
        ["X-Empty", ""],
      ],
    ],
    [
      "every character that may be",
      { lines: ["!#$%&'*+.^_`|~09Az-: ~ \t!\"$ {}$X"] },
      [["!#$%&'*+.^_`|~09Az-", '~ \t!"$ {}$X']],
    ],
    [
      "names like the transport's",
      { lines: ["proxyx: 1", "mcp-names: 2", "hosts: 3"] },
      [
        ["proxyx", "1"],
        ["mcp-names", "2"],
        ["hosts", "3"],
      ],
    ],
    [
      "names of every object",
      { json: '{"__proto__": "1", "constructor": "2"}' },
      [
        ["__proto__", "1"],
        ["constructor", "2"],
      ],
    ],
    [
      "shells' own places",
      { lines: ["A: $TOKEN", `B: \${1}`, `C: \${a-b}`] },
      [
        ["A", "$TOKEN"],
        ["B", `\${1}`],
        ["C", `\${a-b}`],
      ],
    ],
  ])("from %s", (_what, given, expected) => {
    expect(read(given)).toEqual(expected);
  });

  test.each<[string, Given, [string, string][]]>([
    [
      "--bearer-env over the environment",
      { json: { AUTHORIZATION: "x", a: "1" }, bearer: "T", env: { T: "y" } },
      [
        ["a", "1"],
        ["authorization", "Bearer y"],
      ],
    ],
    [
      "--header over --bearer-env",
      { lines: ["Authorization: z"], bearer: "T", env: { T: "y" } },
      [["Authorization", "z"]],
    ],
    [
      "--header over the environment",
      { json: { "x-a": "1", b: "2" }, lines: ["X-A: 3"] },
      [
        ["b", "2"],
        ["X-A", "3"],
      ],
    ],
    ["the later of two lines", { lines: ["a: 1", "A: 2"] }, [["A", "2"]]],
    ["the later of two members", { json: { a: "1", A: "2" } }, [["A", "2"]]],
  ])("%s", (_what, given, expected) => {
    expect(read(given)).toEqual(expected);
  });

  test("are gone from the environment once they are read, and nothing else is", () => {
    const env = environment({ json: { a: "1" }, env: { TOKEN: "abc", OTHER: "x", BIR_HOME: "/y" } });
    read({ bearer: "TOKEN" }, env);
    expect(env).toEqual({ OTHER: "x", BIR_HOME: "/y" });
    expect(Object.keys(env)).toEqual(["OTHER", "BIR_HOME"]);
  });

  test("are gone from the environment where they are wrong, too", () => {
    const env = environment({ json: "s3cret", env: { TOKEN: "s3cret" } });
    complaint({ bearer: "TOKEN" }, env);
    expect(Object.keys(env)).toEqual([]);
  });
});

describe("configured headers that a host has filled variables into", () => {
  test.each<[string, string, [string, string][]]>([
    ["quotes", '{"X-Meta":"{"a":1,"b":"c"}"}', [["X-Meta", '{"a":1,"b":"c"}']]],
    [
      "a backslash that escapes nothing",
      String.raw`{"X-User":"DOM\user","B":"2"}`,
      [
        ["X-User", String.raw`DOM\user`],
        ["B", "2"],
      ],
    ],
    [
      "the line end of a file",
      '{"Authorization":"Bearer tok\n","A":"1"}',
      [
        ["Authorization", "Bearer tok"],
        ["A", "1"],
      ],
    ],
  ])("%s stand there as they are", (_name, json, headers) => {
    expect(read({ json })).toEqual(headers);
  });
});

describe("configured headers that cannot be sent", () => {
  const asJson = String.raw`Write it as {"Authorization": "Bearer …"}; inside a JSON file each of its quotes is \".`;
  const unset = `Set it to the token, for example in the "env" of the server's entry in the host's configuration.`;
  const ascii = "Take out line ends and all that is not ASCII.";
  const letters = "A name is made of letters, digits and hyphens.";
  const quoted = "Write it in quotes; a list as one string, with commas.";
  const filled = "Set that variable, or write its value.";

  test.each<[string, Given, string]>([
    ["no JSON", { json: "Authorization: s3cret" }, `BIR_UPSTREAM_HEADERS holds no JSON object. ${asJson}`],
    ["JSON cut short", { json: '{"A": "s3cret' }, `BIR_UPSTREAM_HEADERS holds no JSON object. ${asJson}`],
    ["a list", { json: ["s3cret"] }, `BIR_UPSTREAM_HEADERS holds no JSON object. ${asJson}`],
    ["a string", { json: '"s3cret"' }, `BIR_UPSTREAM_HEADERS holds no JSON object. ${asJson}`],
    ["null", { json: "null" }, `BIR_UPSTREAM_HEADERS holds no JSON object. ${asJson}`],
    [
      "a number",
      { json: { "X-A": 53 } },
      `the header X-A (BIR_UPSTREAM_HEADERS) has a value that is no string. ${quoted}`,
    ],
    [
      "values in a list",
      { json: { A: ["s3cret"] } },
      `the header A (BIR_UPSTREAM_HEADERS) has a value that is no string. ${quoted}`,
    ],
    [
      "a value of null",
      { json: { "s3cret s3cret": null } },
      `header 1 of BIR_UPSTREAM_HEADERS has a value that is no string. ${quoted}`,
    ],
    [
      "a name with a space",
      { json: { a: "", "s3cret s3cret": "s3cret" } },
      `header 2 of BIR_UPSTREAM_HEADERS has a name that no header can have. ${letters}`,
    ],
    [
      "an empty name",
      { lines: ["a: 1", ": s3cret"] },
      `header 2 of --header has a name that no header can have. ${letters}`,
    ],
    [
      "a name with a line end",
      { lines: ["a\nb: s3cret"] },
      `header 1 of --header has a name that no header can have. ${letters}`,
    ],
    [
      "a name before which there is a space",
      { lines: [" a: s3cret"] },
      `header 1 of --header has a name that no header can have. ${letters}`,
    ],
    ["no colon", { lines: ["s3cret"] }, "header 1 of --header has no colon. Write it as --header 'NAME: VALUE'."],
    [
      "a line end",
      { json: { A: "1\r\nX: s3cret" } },
      `the header A (BIR_UPSTREAM_HEADERS) holds a character that no header can hold. ${ascii}`,
    ],
    [
      "a line end at the end",
      { lines: ["A: s3cret\n"] },
      `the header A (--header) holds a character that no header can hold. ${ascii}`,
    ],
    [
      "a control character",
      { lines: ["A: s3cret\0"] },
      `the header A (--header) holds a character that no header can hold. ${ascii}`,
    ],
    [
      "DEL",
      { lines: ["A: s3cret\x7f"] },
      `the header A (--header) holds a character that no header can hold. ${ascii}`,
    ],
    [
      "Latin 1",
      { lines: ["A: s3cret é"] },
      `the header A (--header) holds a character that no header can hold. ${ascii}`,
    ],
    [
      "Unicode",
      { json: { A: "s3cret…" } },
      `the header A (BIR_UPSTREAM_HEADERS) holds a character that no header can hold. ${ascii}`,
    ],
    ["no such variable", { bearer: "API_TOKEN" }, `API_TOKEN (--bearer-env) is not set, or is empty. ${unset}`],
    [
      "an empty variable",
      { bearer: "API_TOKEN", env: { API_TOKEN: "" } },
      `API_TOKEN (--bearer-env) is not set, or is empty. ${unset}`,
    ],
    [
      "the token in place of its variable",
      { bearer: "ghp_s3cret" },
      `the variable of --bearer-env is not set, or is empty. ${unset}`,
    ],
    [
      "Bearer twice",
      { bearer: "T", env: { T: "Bearer s3cret" } },
      `T (--bearer-env) holds a space or a line end. Put the token alone into it, without "Bearer".`,
    ],
    [
      "a token with its line end",
      { bearer: "T", env: { T: "s3cret\n" } },
      `T (--bearer-env) holds a space or a line end. Put the token alone into it, without "Bearer".`,
    ],
    [
      "a token outside ASCII",
      { bearer: "T", env: { T: "s3créts3cret" } },
      `the header authorization (--bearer-env) holds a character that no header can hold. ${ascii}`,
    ],
    [
      "Bearer and nothing",
      { json: { Authorization: "Bearer " } },
      `the header Authorization (BIR_UPSTREAM_HEADERS) has no token after "Bearer". The variable that it was to come from is empty: set it.`,
    ],
    [
      "a place in JSON",
      { json: { A: `Bearer \${TOKEN}` } },
      `the header A (BIR_UPSTREAM_HEADERS) holds \${TOKEN}, which the host has left as it is. ${filled}`,
    ],
    [
      "a place in a line",
      { lines: [`A: s3cret\${env:TOKEN_1}s3cret`] },
      `the header A (--header) holds \${env:TOKEN_1}, which the host has left as it is. ${filled}`,
    ],
    [
      "a place for a token",
      { bearer: "T", env: { T: `\${MY_TOKEN}` } },
      `T (--bearer-env) holds \${MY_TOKEN}, which the host has left as it is. ${filled}`,
    ],
    [
      "a place for all of them",
      { json: `\${HEADERS}` },
      `BIR_UPSTREAM_HEADERS holds \${HEADERS}, which the host has left as it is. ${filled}`,
    ],
  ])("%s", (_what, given, expected) => {
    const said = complaint(given);
    expect(said).toBe(expected);
    expect(said).not.toMatch(/s3c?r[eé]t/);
  });

  const own = [
    "Accept accept-encoding Connection Content-Encoding CONTENT-LENGTH content-type expect Host keep-alive Last-Event-ID",
    "mcp-method Mcp-Name mcp-protocol-version Mcp-Session-Id Mcp-Param-Region te trailer transfer-encoding upgrade",
    "Proxy-Authorization proxy-connection",
  ];
  test.each(own.flatMap((line) => line.split(" ")))("%s, which is the transport's own", (name) => {
    const said = "is set by bir itself, from each message and the connection. Leave it out.";
    expect(complaint({ lines: [`${name}: s3cret`] })).toBe(`the header ${name} (--header) ${said}`);
    expect(complaint({ json: { [name]: "s3cret" } })).toBe(`the header ${name} (BIR_UPSTREAM_HEADERS) ${said}`);
  });

  test("even where another one would win over it", () => {
    const given = { json: { A: "s3cret\n" }, lines: ["A: 1"] };
    expect(complaint(given)).toContain("the header A (BIR_UPSTREAM_HEADERS) holds a character");
    expect(complaint({ bearer: "T", lines: ["Authorization: x"] })).toContain("T (--bearer-env) is not set");
  });
});
