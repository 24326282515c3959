/** The methods of the fixture: lists, reads and calls, in the words that the official scenarios look for. */

import { type Call, Fault, PIXEL, textBlock } from "./fixture-call.ts";
import { promptWithInput } from "./fixture-input.ts";
import { TASK_METHODS, TASKS_EXTENSION } from "./fixture-tasks.ts";
import { TOOLS } from "./fixture-tools.ts";
import { asObject, CODE, type Json, LATEST_LEGACY, LEGACY, MODERN } from "./message.ts";

export const SERVER = { name: "conformance-fixture", version: "1.0.0" };

type Method = (call: Call) => Json | Promise<Json>;

const LIST = { listChanged: true };

const RESOURCES = [
  {
    uri: "test://static-text",
    name: "static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  { uri: "test://static-binary", name: "static-binary", mimeType: "image/png", blob: PIXEL },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    mimeType: "text/plain",
    text: "Watched resource content",
  },
];

const PROMPTS: Record<string, { description: string; args?: string[]; get(call: Call, args: Json): Json }> = {
  test_simple_prompt: { description: "Text", get: () => said(textBlock("This is a simple prompt for testing.")) },
  test_prompt_with_arguments: {
    description: "Has arguments",
    args: ["arg1", "arg2"],
    get: (_, { arg1, arg2 }) =>
      said(textBlock(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`)),
  },
  test_prompt_with_embedded_resource: {
    description: "Has a resource",
    args: ["resourceUri"],
    get: (_, { resourceUri: uri }) =>
      said(
        { type: "resource", resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." } },
        textBlock("Please process the embedded resource above."),
      ),
  },
  test_prompt_with_image: {
    description: "Has an image",
    get: () =>
      said({ type: "image", data: PIXEL, mimeType: "image/png" }, textBlock("Please analyze the image above.")),
  },
};

const SHARED: Record<string, Method> = {
  "tools/list": ({ modern }) => ({
    tools: Object.entries(TOOLS)
      .filter(([, { era }]) => era === undefined || (era === "modern") === modern)
      .map(([name, { description, inputSchema = { type: "object", properties: {} } }]) => ({
        name,
        description,
        inputSchema,
      })),
  }),
  "tools/call": (call) => {
    const tool = TOOLS[String(call.params.name)];
    if (tool === undefined) throw new Fault(CODE.params, `Unknown tool: ${String(call.params.name)}`);
    return tool.run(call);
  },
  "resources/list": () => ({ resources: RESOURCES.map(({ uri, name, mimeType }) => ({ uri, name, mimeType })) }),
  "resources/templates/list": () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  }),
  "resources/read": ({ params: { uri }, modern }) => {
    const known = RESOURCES.find((resource) => resource.uri === uri);
    if (known) {
      const { name: _, ...content } = known;
      return { contents: [content] };
    }
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(String(uri)) ?? [];
    if (id === undefined) throw new Fault(modern ? CODE.params : -32002, "Resource not found", { uri });
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text }] };
  },
  "prompts/list": ({ modern }) => ({
    prompts: [
      ...Object.entries(PROMPTS).map(([name, { description, args = [] }]) => ({
        name,
        description,
        arguments: args.map((argument) => ({ name: argument, required: true })),
      })),
      ...(modern ? [{ name: "test_input_required_result_prompt", description: "Asks first" }] : []),
    ],
  }),
  "prompts/get": (call) => {
    if (call.params.name === "test_input_required_result_prompt") return promptWithInput(call);
    const prompt = PROMPTS[String(call.params.name)];
    if (prompt === undefined) throw new Fault(CODE.params, `Unknown prompt: ${String(call.params.name)}`);
    return prompt.get(call, asObject(call.params.arguments));
  },
  "completion/complete": () => ({ completion: { values: ["paris", "park"], total: 2, hasMore: false } }),
};

export const LEGACY_METHODS: Record<string, Method> = {
  ...SHARED,
  initialize: ({ params }) => ({
    protocolVersion: LEGACY.includes(String(params.protocolVersion)) ? params.protocolVersion : LATEST_LEGACY,
    serverInfo: SERVER,
    capabilities: { tools: LIST, prompts: LIST, resources: { ...LIST, subscribe: true }, logging: {}, completions: {} },
  }),
  ping: () => ({}),
  "logging/setLevel": () => ({}),
  "resources/subscribe": () => ({}),
  "resources/unsubscribe": () => ({}),
};

export const MODERN_METHODS: Record<string, Method> = {
  ...SHARED,
  ...TASK_METHODS,
  "server/discover": () => ({
    supportedVersions: [MODERN],
    capabilities: { tools: LIST, prompts: LIST, resources: {}, completions: {}, extensions: TASKS_EXTENSION },
  }),
};

/** Methods whose results a 2026-07-28 client may keep for a while. */
export const CACHEABLE: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

function said(...contents: Json[]): Json {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}
