/** Google's Gemini API, as Gemini CLI speaks it. Pure. */

import { type Dialect, dataEvents, objects, textOf } from "./dialect.ts";

const USAGE = { promptTokenCount: 100, candidatesTokenCount: 42, totalTokenCount: 142 };

export const GEMINI: Dialect = {
  isQuestion: (path) => /:(?:streamG|g)enerateContent$/.test(path),

  read(path, { contents, tools }) {
    const parts = objects(contents).flatMap((content) =>
      objects(content.parts).map((part) => ({ ...part, role: content.role })),
    );
    const said = parts.filter(({ role }) => role === "user").map(textOf);
    const results = parts.flatMap((part) =>
      "functionResponse" in part ? [JSON.stringify(part.functionResponse)] : [],
    );
    const offered = objects(tools).flatMap((tool) =>
      objects(tool.functionDeclarations).map(({ name }) => String(name)),
    );
    return { said: said.join("\n"), offered, results, streams: path.includes(":stream") };
  },

  write(answer, { streams }, serial) {
    const part =
      "text" in answer ? { text: answer.text } : { functionCall: { name: answer.use.name, args: answer.use.input } };
    const body = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: USAGE,
      modelVersion: "scripted",
      responseId: `response-${serial}`,
    };
    if (streams) return { type: "text/event-stream", body: dataEvents([body]) };
    return { type: "application/json", body: JSON.stringify(body) };
  },

  other: (method, path) => (method === "POST" && path.endsWith(":countTokens") ? { totalTokens: 100 } : undefined),
};
