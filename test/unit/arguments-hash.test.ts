import { describe, expect, test } from "vitest";
import { argumentsHash } from "../../src/jsonrpc/arguments-hash.ts";
import { canonicalJson } from "../../src/jsonrpc/canonical-json.ts";

/** What lets two who saw the same call find out that it was the same. */

describe("canonical JSON", () => {
  test.each([
    ['{"b":1,"a":{"d":[1,{"f":2,"e":3}],"c":null}}', '{"a":{"c":null,"d":[1,{"e":3,"f":2}]},"b":1}'],
    ['{ "a" : "\\u0041" }', '{"a":"A"}'],
    ["[2,1]", "[2,1]"],
    ['"x"', '"x"'],
  ])("%s", (json, canonical) => {
    expect(canonicalJson(json)).toBe(canonical);
  });

  test("there is none of what is no JSON", () => {
    expect(canonicalJson("{")).toBeNull();
  });
});

describe("the fingerprint of arguments", () => {
  test("is the same for the same arguments under the same key, and for nothing else", () => {
    const hash = argumentsHash('{"a":1,"b":2}', "key");
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(argumentsHash('{ "b": 2, "a": 1 }', "key")).toBe(hash);
    expect(argumentsHash('{"a":1,"b":3}', "key")).not.toBe(hash);
    expect(argumentsHash('{"a":1,"b":2}', "other")).not.toBe(hash);
    expect(argumentsHash("{", "key")).toBeNull();
  });
});
