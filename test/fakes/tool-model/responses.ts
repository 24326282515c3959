/** OpenAI's Responses, as Codex speaks it: always streamed, tools of a server grouped under its name. Pure. */

import { models } from "./chat.ts";
import { type Answer, type Dialect, objects, textOf } from "./dialect.ts";

type Json = Record<string, unknown>;

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 20 },
  output_tokens: 42,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 142,
};

export const RESPONSES: Dialect = {
  isQuestion: (path) => path.endsWith("/responses"),

  read(_path, { input, tools }) {
    const items = objects(input);
    const said = items.filter(({ role }) => role === "user").map(({ content }) => textOf(content));
    const results = items.filter(({ type }) => type === "function_call_output").map(({ output }) => textOf(output));
    return { said: said.join("\n"), offered: objects(tools).flatMap(namesOf), results, streams: true };
  },

  write(answer, _asked, serial) {
    const item = itemOf(answer, serial);
    const response = { id: `resp_${serial}`, object: "response", status: "in_progress", output: [] as Json[] };
    const events: Json[] = [
      { type: "response.created", response },
      { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
      ...("text" in answer
        ? [
            {
              type: "response.output_text.delta",
              item_id: item.id,
              output_index: 0,
              content_index: 0,
              delta: answer.text,
            },
          ]
        : []),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { ...response, status: "completed", output: [item], usage: USAGE } },
    ];
    const lines = events.map((event, sequence_number) => JSON.stringify({ ...event, sequence_number }));
    const body = lines.map((line, index) => `event: ${events[index]?.type}\ndata: ${line}\n\n`).join("");
    return { type: "text/event-stream", body };
  },

  other: models,
};

function namesOf(tool: Json): string[] {
  if (tool.type === "namespace") return objects(tool.tools).map(({ name }) => `${tool.name}.${name}`);
  return [String(tool.name ?? tool.type)];
}

function itemOf(answer: Answer, serial: number): Json {
  if ("text" in answer) {
    const content = [{ type: "output_text", text: answer.text, annotations: [] }];
    return { type: "message", id: `msg_${serial}`, role: "assistant", status: "completed", content };
  }
  const { name, namespace, input } = answer.use;
  const called = { call_id: answer.id, name, ...(namespace === undefined ? {} : { namespace }) };
  return {
    type: "function_call",
    id: `fc_${serial}`,
    ...called,
    arguments: JSON.stringify(input),
    status: "completed",
  };
}
