/** Anthropic's Messages, as Claude Code speaks it. Pure. */

import { eventsOf, messageOf } from "../model-api/answer.ts";
import { text, use } from "../model-api/script.ts";
import { type Dialect, objects, textOf } from "./dialect.ts";

export const MESSAGES: Dialect = {
  isQuestion: (path) => path === "/v1/messages",

  read(_path, { messages, tools, stream }) {
    const blocks = objects(messages).flatMap(({ role, content }): Record<string, unknown>[] =>
      typeof content === "string"
        ? [{ role, type: "text", text: content }]
        : objects(content).map((block) => ({ role, ...block })),
    );
    const ofType = (type: string) => blocks.filter((block) => block.role === "user" && block.type === type).map(textOf);
    const names = objects(tools).map(({ name }) => String(name));
    return {
      said: ofType("text").join("\n"),
      offered: names,
      results: ofType("tool_result"),
      streams: stream === true,
    };
  },

  write(answer, { streams }, serial) {
    const block = "text" in answer ? text(answer.text) : use(answer.use.name, answer.use.input, answer.id);
    const message = messageOf({ content: [block] }, "scripted", { name: "scripted", turn: serial });
    if (!streams) return { type: "application/json", body: JSON.stringify(message) };
    const events = eventsOf(message).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return { type: "text/event-stream", body: events.join("") };
  },

  other(method, path) {
    if (path === "/v1/messages/count_tokens") return { input_tokens: 100 };
    return path === "/" && (method === "HEAD" || method === "GET") ? {} : undefined;
  },
};
