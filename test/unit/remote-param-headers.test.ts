import { describe, expect, it } from "vitest";
import type { HeaderDeclaration } from "../../src/upstream/remote/modern/header-annotations.ts";
import { paramHeaders } from "../../src/upstream/remote/modern/param-headers.ts";

const REGION: HeaderDeclaration = { name: "Region", path: ["region"] };
const LIMIT: HeaderDeclaration = { name: "Limit", path: ["options", "limit"] };
const DEEP: HeaderDeclaration = { name: "Deep", path: ["options", "a", "b"] };

const headers = (declarations: HeaderDeclaration[], argumentsText: string): (readonly [string, string])[] => [
  ...paramHeaders(declarations, argumentsText, 0),
];
const value = (raw: string): string | undefined => headers([REGION], `{"region":${raw}}`)[0]?.[1];

describe("headers for a call's arguments", () => {
  it("tell the values at the declared paths and no others, in the order of the declarations", () => {
    const text = ' {"options": {"a": {"b": true, "c": 1}, "limit" : 7 }, "limit": 8, "b": 9, "region" : "eu" }';
    expect([...paramHeaders([REGION, LIMIT, DEEP], `xx${text}`, 3)]).toEqual([
      ["Mcp-Param-Region", "eu"],
      ["Mcp-Param-Limit", "7"],
      ["Mcp-Param-Deep", "true"],
    ]);
  });

  it("are left out for what is absent, null, or no primitive", () => {
    for (const text of [
      "{}",
      "null",
      "[]",
      '"region"',
      "7",
      "",
      "{",
      '{"Region":"eu"}',
      '{"region":null}',
      '{"region":{}}',
      '{"region":["eu"]}',
    ]) {
      expect(headers([REGION], text)).toEqual([]);
    }
    for (const options of ["null", "7", '"limit"', '[{"limit":1}]', '{"a":[]}', '{"limit":null,"a":null}']) {
      expect(headers([LIMIT, DEEP], `{"options":${options}}`)).toEqual([]);
    }
    expect(headers([], '{"region":"eu"}')).toEqual([]);
  });

  it("tell integers in plain digits, and none that JavaScript cannot hold exactly", () => {
    expect(value("42")).toBe("42");
    expect(value("-7")).toBe("-7");
    expect(value("42.0")).toBe("42");
    expect(value("4.2e1")).toBe("42");
    expect(value("-0")).toBe("0");
    expect(value("9007199254740991")).toBe("9007199254740991");
    for (const unsafe of ["9007199254740992", "-9007199254740992", "12345678901234567890", "1e21", "1e400"]) {
      expect(value(unsafe)).toBeUndefined();
    }
  });

  it("tell booleans, strings and what is of another type than declared as the body has it", () => {
    expect(value("true")).toBe("true");
    expect(value("false")).toBe("false");
    expect(value('"true"')).toBe("true");
    expect(value("1.5")).toBe("1.5");
    expect(value('"a\\u0062 c"')).toBe("ab c");
  });

  it("encode what is not safe", () => {
    expect(value('""')).toBe("=?base64??=");
    expect(value('" eu"')).toBe("=?base64?IGV1?=");
    expect(value('"a\\r\\nX-Evil: 1"')).toBe("=?base64?YQ0KWC1FdmlsOiAx?=");
    expect(value('"\\u4e16\\u754c"')).toBe("=?base64?5LiW55WM?=");
  });

  it("read of a key that is written twice the last, as the server does", () => {
    expect(headers([REGION], '{"region":"a","region":"b"}')).toEqual([["Mcp-Param-Region", "b"]]);
    expect(headers([REGION], '{"region":"a","region":null}')).toEqual([]);
    expect(headers([LIMIT, DEEP], '{"options":{"limit":1,"a":{"b":2}},"options":{"a":{"b":3}}}')).toEqual([
      ["Mcp-Param-Deep", "3"],
    ]);
    expect(headers([LIMIT], '{"options":{"limit":1},"options":7}')).toEqual([]);
  });

  it("are read of keys that objects have by themselves like of any other", () => {
    const odd: HeaderDeclaration[] = [
      { name: "A", path: ["__proto__"] },
      { name: "B", path: ["constructor", "name"] },
    ];
    expect(headers(odd, "{}")).toEqual([]);
    expect(headers(odd, '{"__proto__":"p","constructor":{"name":"c"}}')).toEqual([
      ["Mcp-Param-A", "p"],
      ["Mcp-Param-B", "c"],
    ]);
  });
});
