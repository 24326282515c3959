/** OpenAI's Chat Completions, as opencode, Qwen Code, Copilot CLI and Cline speak it. Pure. */

import { type Answer, type Dialect, dataEvents, objects, textOf } from "./dialect.ts";

const USAGE = { prompt_tokens: 100, completion_tokens: 42, total_tokens: 142 };

export const CHAT: Dialect = {
  isQuestion: (path) => path.endsWith("/chat/completions"),

  read(_path, { messages, tools, stream }) {
    const all = objects(messages);
    const ofRole = (role: string) =>
      all.filter((message) => message.role === role).map(({ content }) => textOf(content));
    const names = objects(tools).map((tool) => String((tool.function as { name?: unknown } | undefined)?.name));
    return { said: ofRole("user").join("\n"), offered: names, results: ofRole("tool"), streams: stream === true };
  },

  write(answer, { streams }, serial) {
    const common = { id: `chatcmpl-${serial}`, created: 1_790_000_000 + serial, model: "scripted" };
    const finish_reason = "use" in answer ? "tool_calls" : "stop";
    const message = messageOf(answer);
    if (!streams) {
      const choices = [{ index: 0, message, finish_reason }];
      const body = { ...common, object: "chat.completion", choices, usage: USAGE };
      return { type: "application/json", body: JSON.stringify(body) };
    }
    const chunk = (choices: object[], more: object = {}) => ({
      ...common,
      object: "chat.completion.chunk",
      choices,
      ...more,
    });
    const { tool_calls, ...spoken } = message;
    const delta = tool_calls
      ? { ...spoken, tool_calls: tool_calls.map((call, index) => ({ index, ...call })) }
      : spoken;
    const chunks = [
      chunk([{ index: 0, delta, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      chunk([], { usage: USAGE }),
    ];
    return { type: "text/event-stream", body: dataEvents([...chunks, "[DONE]"]) };
  },

  other: models,
};

interface Message {
  role: "assistant";
  content: string | null;
  tool_calls?: object[];
}

function messageOf(answer: Answer): Message {
  if ("text" in answer) return { role: "assistant", content: answer.text };
  const { name, input } = answer.use;
  const called = { name, arguments: JSON.stringify(input) };
  return { role: "assistant", content: null, tool_calls: [{ id: answer.id, type: "function", function: called }] };
}

/** The list of models: the same in all of OpenAI's APIs. */
export function models(method: string, path: string): unknown {
  if (method !== "GET" || !path.endsWith("/models")) return undefined;
  return { object: "list", data: [{ id: "scripted", object: "model", owned_by: "nobody" }], models: [] };
}
