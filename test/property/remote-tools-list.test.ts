import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { headerAnnotations } from "../../src/upstream/remote/modern/header-annotations.ts";
import { paramHeaders } from "../../src/upstream/remote/modern/param-headers.ts";
import { readToolsList, withoutInvalidTools } from "../../src/upstream/remote/modern/tools-list.ts";
import { type SdkClient, sdkClient, type Tool } from "../unit/remote-sdk-fixture.ts";

afterEach(() => vi.restoreAllMocks());

const names = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 1, max: 40 }).map((i) => `H-${i}`) },
  { weight: 1, arbitrary: fc.constantFrom("h-1", "a b", "", "é") },
);
const types = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom("string", "integer", "boolean") },
  { weight: 1, arbitrary: fc.constantFrom("number", "object") },
);
const keys = fc.constantFrom("a", "b", "c", "x-mcp-header", "__proto__");
const keywords = fc.constantFrom(
  "items",
  "anyOf",
  "not",
  "$defs",
  "patternProperties",
  "default",
  "additionalProperties",
  "then",
);

function wrapped(keyword: string, schema: unknown): unknown {
  if (keyword === "anyOf") return [{}, schema];
  return keyword === "$defs" || keyword === "patternProperties" ? { k: schema } : schema;
}

/** Schemas with an annotation here and there, mostly valid ones. */
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc
    .tuple(
      fc.option(fc.dictionary(keys, tie("schema"), { minKeys: 1, maxKeys: 3 }), { freq: 2 }),
      fc.option(fc.tuple(names, types), { freq: 4 }),
      fc
        .integer({ min: 0, max: 9 })
        .chain((dice) => (dice > 0 ? fc.constant(null) : fc.tuple(keywords, tie("schema")))),
    )
    .map(([properties, annotation, other]) => ({
      ...(properties && { properties }),
      ...(annotation && !properties && { "x-mcp-header": annotation[0], type: annotation[1] }),
      ...(other && { [other[0]]: wrapped(other[0], other[1]) }),
    })),
}));
const inputSchema = fc
  .dictionary(keys, schema, { minKeys: 2, maxKeys: 4 })
  .map((properties) => ({ type: "object" as const, properties }));
const scalar = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", " ", "\t", "é", "\n", "=?base64?", "?=", "~") }),
  fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 53, -(2 ** 53) + 1, 1e21, -0)),
  fc.boolean(),
  fc.constant(null),
);
const wild = fc.oneof(
  { weight: 9, arbitrary: scalar },
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(keys, scalar, { maxKeys: 2 }),
);

/** Arguments that mostly go along with a schema. */
function argumentsFor(node: Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> {
  const properties = (node.properties ?? {}) as Record<string, Record<string, unknown>>;
  const members = Object.entries(properties).map(([key, child]) => {
    const value = Object.hasOwn(child, "properties")
      ? fc.oneof({ weight: 9, arbitrary: argumentsFor(child) }, wild)
      : wild;
    return fc.option(
      value.map((each): [string, unknown] => [key, each]),
      { freq: 9 },
    );
  });
  return fc
    .tuple(...members, fc.tuple(keys, wild))
    .map((entries) => Object.fromEntries(entries.filter((entry) => entry !== null)));
}

const ROUNDS = 400;

async function listedBySdk(
  schemas: Tool["inputSchema"][],
): Promise<{ sdk: SdkClient; tools: Tool[]; kept: Set<string> }> {
  vi.spyOn(console, "warn").mockReturnValue(undefined);
  const tools = schemas.map((each, i) => ({ name: `t${i}`, inputSchema: each }));
  const sdk = await sdkClient(tools);
  return { sdk, tools, kept: new Set(await sdk.listedNames()) };
}

it("finds exactly those tools invalid that the official client drops", async () => {
  const { tools, kept } = await listedBySdk(fc.sample(inputSchema, { numRuns: ROUNDS, seed: 1 }));
  const ours = tools.filter((tool) => headerAnnotations(JSON.stringify(tool.inputSchema)).fault === null);
  expect(ours.map((tool) => tool.name)).toEqual([...kept]);
  // Both kinds, and many of each: else this would prove nothing.
  expect(kept.size).toBeGreaterThan(ROUNDS / 10);
  expect(kept.size).toBeLessThan((ROUNDS * 9) / 10);
});

it("makes the headers that the official client sends with a call", async () => {
  const { sdk, tools, kept } = await listedBySdk(fc.sample(inputSchema, { numRuns: ROUNDS, seed: 2 }));
  let told = 0;
  for (const tool of tools) {
    if (!kept.has(tool.name)) continue;
    const [callArguments = {}] = fc.sample(argumentsFor(tool.inputSchema), { numRuns: 1, seed: 3 + told });
    await sdk.client.callTool({ name: tool.name, arguments: callArguments });
    const { headers, body } = sdk.sent.at(-1) ?? { headers: {}, body: "" };
    const { declarations } = headerAnnotations(JSON.stringify(tool.inputSchema));
    const at = body.indexOf('"arguments":') + '"arguments":'.length;
    const ours = paramHeaders(declarations, body, at).map(([name, text]): [string, string] => [
      name.toLowerCase(),
      text,
    ]);
    const theirs = Object.entries(headers).filter(([name]) => name.startsWith("mcp-param-"));
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs));
    told += theirs.length;
  }
  expect(told).toBeGreaterThan(ROUNDS / 4);
});

const space = fc.constantFrom("", " ", "\n\t");
const toolText = fc
  .tuple(fc.constantFrom("ok", "bad", "none"), space, space, space)
  .map(([kind, inner, before, after]) => {
    const annotation = kind === "none" ? "" : `"x-mcp-header":${kind === "ok" ? '"A"' : '""'},`;
    const text = `{${inner}"name":"${kind}","n":1.0,"inputSchema":{"properties":{"p":{${annotation}"type":"string"}}}}`;
    return { kind, text, laidOut: before + text + after };
  });

it("cuts invalid tools out of the text, each with one comma, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(toolText, { maxLength: 8 }), space, (tools, inner) => {
      const start = `{"id":1,${inner}"result":{"ttlMs":1.0,"tools":[`;
      const end = `]${inner},"z":[{"name":"bad"},1e2]}}`;
      const text = start + tools.map((tool) => tool.laidOut).join(",") + end;
      const list = readToolsList(text);
      expect(list).not.toBeNull();
      const { text: cut, dropped } = withoutInvalidTools(text, list ?? { tools: [], ttlMs: 0 });
      const kept = tools.filter((tool) => tool.kind !== "bad");
      expect(dropped.map((tool) => tool.name)).toEqual(tools.filter((tool) => tool.kind === "bad").map(() => "bad"));
      const original = JSON.parse(text) as { result: { tools: unknown[] } };
      const left = original.result.tools.filter((_tool, i) => tools[i]?.kind !== "bad");
      expect(JSON.parse(cut)).toEqual({ ...original, result: { ...original.result, tools: left } });
      // Apart from the tools and commas, the very bytes: also the space between them.
      const spaces = tools.map((tool) => tool.laidOut.replace(tool.text, tool.kind === "bad" ? "" : "T")).join("");
      const middle = cut.slice(start.length, -end.length);
      expect(cut).toBe(start + middle + end);
      expect(kept.reduce((rest, tool) => rest.replace(tool.text, "T"), middle).replaceAll(",", "")).toBe(spaces);
      expect(middle.length).toBe(
        spaces.length + kept.reduce((sum, tool) => sum + tool.text.length - 1, 0) + Math.max(0, kept.length - 1),
      );
    }),
  );
});
