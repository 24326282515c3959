/**
 * The tools that the official server scenarios call by name. Those that need more input and those that make tasks are in files
 * of their own.
 */

import { setTimeout as pause } from "node:timers/promises";
import { type Call, Fault, PIXEL, SILENCE, textBlock, textResult } from "./fixture-call.ts";
import { INPUT_TOOLS } from "./fixture-input.ts";
import { DEFAULTS_FORM, ENUMS_FORM, PERSON_FORM, SCHEMA_2020_12 } from "./fixture-schemas.ts";
import { TASK_TOOLS } from "./fixture-tasks.ts";
import { CODE, type Json, META } from "./message.ts";

export interface Tool {
  description: string;
  inputSchema?: Json;
  /** Undefined: both. */
  era?: "legacy" | "modern";
  run(call: Call): Json | Promise<Json>;
}

/** Between the messages that a tool sends while it works. */
const STEP_MS = 50;

const strings = (...names: string[]): Json => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
});

async function elicit(call: Call, message: string, requestedSchema: Json): Promise<Json> {
  const { action, content = {} } = await call.ask("elicitation/create", { message, requestedSchema });
  return textResult(`User response: action=${String(action)}, content=${JSON.stringify(content)}`);
}

const argument = (call: Call, name: string) => String((call.params.arguments as Json | undefined)?.[name]);

export const TOOLS: Record<string, Tool> = {
  test_simple_text: {
    description: "Text",
    run: () => textResult("This is a simple text response for testing."),
  },
  test_image_content: {
    description: "An image",
    run: () => ({ content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] }),
  },
  test_audio_content: {
    description: "Audio",
    run: () => ({ content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] }),
  },
  test_embedded_resource: {
    description: "A resource in the result",
    run: () => ({
      content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    }),
  },
  test_multiple_content_types: {
    description: "Text, an image and a resource",
    run: () => ({
      content: [
        textBlock("Multiple content types test:"),
        { type: "image", data: PIXEL, mimeType: "image/png" },
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    }),
  },
  test_error_handling: {
    description: "Fails",
    run: () => ({ ...textResult("This tool intentionally returns an error for testing"), isError: true }),
  },
  test_tool_with_progress: {
    description: "Tells its progress",
    async run(call) {
      const { progressToken } = call.meta;
      for (const progress of [0, 50, 100]) {
        if (progress > 0) await pause(STEP_MS);
        if (progressToken !== undefined) call.notify("notifications/progress", { progressToken, progress, total: 100 });
      }
      return textResult("done");
    },
  },
  json_schema_2020_12_tool: {
    description: "Tool with JSON Schema 2020-12 features",
    inputSchema: SCHEMA_2020_12,
    run: (call) => textResult(JSON.stringify(call.params.arguments)),
  },
  test_tool_with_logging: {
    description: "Logs while it works",
    era: "legacy",
    async run(call) {
      for (const [index, data] of ["started", "processing data", "completed"].entries()) {
        if (index > 0) await pause(STEP_MS);
        call.notify("notifications/message", { level: "info", data: `Tool execution ${data}` });
      }
      return textResult("done");
    },
  },
  test_reconnection: {
    description: "Closes its stream before it answers",
    era: "legacy",
    async run(call) {
      call.suspend();
      await pause(2 * STEP_MS);
      return textResult("Reconnection test completed successfully");
    },
  },
  test_sampling: {
    description: "Asks the client's model",
    inputSchema: strings("prompt"),
    era: "legacy",
    async run(call) {
      const messages = [{ role: "user", content: textBlock(argument(call, "prompt")) }];
      const { content } = await call.ask("sampling/createMessage", { messages, maxTokens: 100 });
      return textResult(`LLM response: ${(content as Json).text}`);
    },
  },
  test_elicitation: {
    description: "Asks the person",
    inputSchema: strings("message"),
    era: "legacy",
    run: (call) => elicit(call, argument(call, "message"), PERSON_FORM),
  },
  test_elicitation_sep1034_defaults: {
    description: "Asks the person, with defaults",
    era: "legacy",
    run: (call) => elicit(call, "Please review and update the form fields with defaults", DEFAULTS_FORM),
  },
  test_elicitation_sep1330_enums: {
    description: "Asks the person to choose",
    era: "legacy",
    run: (call) => elicit(call, "Please select options from the enum fields", ENUMS_FORM),
  },
  test_x_mcp_header: {
    description: "Has an argument that is mirrored in a header",
    inputSchema: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
    },
    era: "modern",
    run: (call) => textResult(`region ${argument(call, "region")}`),
  },
  test_missing_capability: {
    description: "Needs sampling",
    era: "modern",
    run(call) {
      if (call.capabilities.sampling !== undefined) return textResult("sampling is there");
      const data = { requiredCapabilities: { sampling: {} } };
      throw new Fault(CODE.capability, "the client does not declare sampling", data);
    },
  },
  test_streaming_elicitation: {
    description: "Tells its progress on a stream",
    era: "modern",
    async run(call) {
      call.notify("notifications/progress", { progressToken: "streaming", progress: 50, total: 100 });
      await pause(STEP_MS);
      return textResult("streamed");
    },
  },
  test_logging_tool: {
    description: "Logs when it is asked to",
    era: "modern",
    run(call) {
      if (call.meta[META.logLevel] !== undefined)
        call.notify("notifications/message", { level: "info", data: "working" });
      return textResult("done");
    },
  },
  test_trigger_tool_change: {
    description: "Tells subscribers that the tools changed",
    era: "modern",
    run(call) {
      call.changed("tools");
      return textResult("told");
    },
  },
  test_trigger_prompt_change: {
    description: "Tells subscribers that the prompts changed",
    era: "modern",
    run(call) {
      call.changed("prompts");
      return textResult("told");
    },
  },
  ...INPUT_TOOLS,
  ...TASK_TOOLS,
};

function resource(uri: string, mimeType: string, text: string): Json {
  return { type: "resource", resource: { uri, mimeType, text } };
}
