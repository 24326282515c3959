/** What the stdio host says for its person and its model, and the arguments it calls tools with. Pure. */

import { asObject, CODE, type Json, type Message, type Request } from "./message.ts";

const BY_METHOD: Record<string, (params: Json) => Json> = {
  ping: () => ({}),
  "roots/list": () => ({ roots: [{ uri: "file:///project", name: "project" }] }),
  "elicitation/create": (params) => ({ action: "accept", content: valuesFor(asObject(params.requestedSchema), true) }),
  "sampling/createMessage": () => ({
    role: "assistant",
    content: { type: "text", text: "Paris" },
    model: "none",
    stopReason: "endTurn",
  }),
};

/** The answer to a request of the server. */
export function answerRequest({ id, method, params }: Request): Message {
  const answer = BY_METHOD[method];
  if (answer) return { jsonrpc: "2.0", id, result: answer(params ?? {}) };
  return { jsonrpc: "2.0", id, error: { code: CODE.notFound, message: `Method not found: ${method}` } };
}

/** What an `input_required` result asks for, by name. */
export function inputResponses(inputRequests: unknown): Json {
  return Object.fromEntries(
    Object.entries(asObject(inputRequests)).map(([name, value]) => {
      const { method, params } = asObject(value);
      return [name, BY_METHOD[String(method)]?.(asObject(params)) ?? {}];
    }),
  );
}

/** Arguments that the tool's schema allows; one that asks for a schema gets the richest of the other tools. */
export function argumentsFor(tool: Json, tools: readonly Json[]): Json {
  const values = valuesFor(asObject(tool.inputSchema), false);
  if (!("schema" in values)) return values;
  return { schema: tools.find((other) => asObject(other.inputSchema).$defs !== undefined)?.inputSchema };
}

/** @param all the optional ones too */
function valuesFor(schema: Json, all: boolean): Json {
  const required = (schema.required ?? []) as unknown[];
  const wanted = Object.entries(asObject(schema.properties)).filter(([name]) => all || required.includes(name));
  return Object.fromEntries(wanted.map(([name, property], index) => [name, valueFor(asObject(property), index)]));
}

function valueFor(property: Json, index: number): unknown {
  if (property.default !== undefined) return property.default;
  if (Array.isArray(property.enum)) return property.enum[0];
  if (property.type === "number" || property.type === "integer") return index + 2;
  if (property.type === "boolean") return true;
  if (property.type === "array") return [];
  return property.type === "object" ? {} : "text";
}
