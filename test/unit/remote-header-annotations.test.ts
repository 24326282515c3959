import { describe, expect, it } from "vitest";
import { headerAnnotations } from "../../src/upstream/remote/modern/header-annotations.ts";

const of = (schema: unknown): ReturnType<typeof headerAnnotations> => headerAnnotations(JSON.stringify(schema));
const annotated = (name: unknown, more: object = { type: "string" }): object => ({ ...more, "x-mcp-header": name });
const inProperty = (schema: object): object => ({ type: "object", properties: { outer: schema } });

describe("declarations of a tool's parameters", () => {
  it("are none where nothing is annotated", () => {
    const none = { fault: null, declarations: [] };
    for (const schema of [
      {},
      { type: "object", properties: { a: { type: "string" } } },
      true,
      null,
      [],
      "x-mcp-header",
    ]) {
      expect(of(schema)).toEqual(none);
    }
    for (const text of ["", "{", "no x-mcp-header"]) expect(headerAnnotations(text)).toEqual(none);
  });

  it("tell name and path, also of nested properties, in the order of the schema", () => {
    const schema = {
      type: "object",
      properties: {
        region: annotated("Region"),
        options: {
          type: "object",
          properties: {
            limit: annotated("X.Limit_1", { type: "integer" }),
            deep: { properties: { er: annotated("!#$%&'*+-.^_`|~9") } },
          },
        },
        dry: annotated("Dry", { type: "boolean" }),
      },
    };
    expect(of(schema)).toEqual({
      fault: null,
      declarations: [
        { name: "Region", path: ["region"] },
        { name: "X.Limit_1", path: ["options", "limit"] },
        { name: "!#$%&'*+-.^_`|~9", path: ["options", "deep", "er"] },
        { name: "Dry", path: ["dry"] },
      ],
    });
  });

  it("are found where the key is written with escapes, and of two keys the last counts", () => {
    const escaped = '{"properties":{"a":{"type":"string","x-mcp-heade\\u0072":"A"}}}';
    expect(headerAnnotations(escaped).declarations).toEqual([{ name: "A", path: ["a"] }]);
    const twice = '{"properties":{"a":{"type":"string","x-mcp-header":"","x-mcp-header":"B"}}}';
    expect(headerAnnotations(twice)).toEqual({ fault: null, declarations: [{ name: "B", path: ["a"] }] });
  });

  it("are not what only looks like them: a parameter of that name, a default, an example", () => {
    const like = { "x-mcp-header": "" };
    const schema = {
      properties: {
        "x-mcp-header": { type: "string" },
        a: { default: like, examples: [like], enum: [like], const: like },
      },
    };
    expect(of(schema)).toEqual({ fault: null, declarations: [] });
  });
});

describe("an annotation is invalid", () => {
  const faultOf = (schema: unknown): string | null => of(schema).fault;

  it("without a name that is a token", () => {
    for (const name of ["", 7, null, {}, [], true])
      expect(faultOf(inProperty(annotated(name)))).toBe("outer: x-mcp-header is no name");
    for (const name of ["a b", "a:b", "a\r\nb", "ü", "(a)", "a,b", '"a"', "a\u0000", " a"]) {
      expect(faultOf(inProperty(annotated(name)))).toBe("outer: x-mcp-header is no valid header name");
    }
  });

  it("on another type than string, integer and boolean", () => {
    for (const type of ["number", "object", "array", "null", "String", ["string", "null"], ["string"], undefined, 1]) {
      expect(faultOf(inProperty(annotated("A", { type })))).toBe(
        "outer: x-mcp-header is on a type other than string, integer and boolean",
      );
    }
  });

  it("where a name comes twice, in whatever case", () => {
    expect(faultOf({ properties: { a: annotated("Region"), b: { properties: { c: annotated("rEGION") } } } })).toBe(
      "b.c: x-mcp-header repeats a name",
    );
  });

  it("anywhere else than on a chain of properties", () => {
    const elsewhere = "x-mcp-header stands where no chain of properties leads";
    expect(faultOf(annotated("A", { type: "string" }))).toBe(`the schema itself: ${elsewhere}`);
    const one = [
      "items",
      "additionalItems",
      "contains",
      "additionalProperties",
      "unevaluatedProperties",
      "unevaluatedItems",
    ];
    const single = [
      ...one,
      "propertyNames",
      "contentSchema",
      "not",
      "if",
      "then",
      "else",
      "prefixItems",
      "oneOf",
      "anyOf",
      "allOf",
    ];
    for (const keyword of single) {
      for (const branch of [annotated("A"), inProperty(annotated("A"))]) {
        expect(faultOf({ [keyword]: branch })).toContain(elsewhere);
        expect(faultOf({ [keyword]: [{}, branch] })).toContain(elsewhere);
        expect(faultOf(inProperty({ type: "object", [keyword]: branch }))).toContain(`outer.<${keyword}>`);
      }
    }
    for (const keyword of ["patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"]) {
      expect(faultOf({ [keyword]: { x: annotated("A") } })).toBe(`<${keyword}>: ${elsewhere}`);
      expect(faultOf({ [keyword]: { x: inProperty(annotated("A")) } })).toContain(elsewhere);
    }
  });

  it("so that nothing of the tool is declared", () => {
    expect(of({ properties: { a: annotated("A"), b: annotated("") } }).declarations).toEqual([]);
  });

  it("also far below the top, without failing", () => {
    let deep: object = annotated("A");
    for (let i = 0; i < 2_000; i++) deep = inProperty(deep);
    expect(faultOf(deep)).toMatch(/^outer\.outer.{80,110}…: x-mcp-header is nested too deeply$/);
  });

  it("and the reason is fit for a log", () => {
    const fault = faultOf({ properties: { "\n\u001b[31m": annotated("") } });
    expect(fault).toBe("??[31m: x-mcp-header is no name");
  });
});
