/** The scripted model itself, in every dialect: what it reads of a request, and that its answers are what the API's would be. */

import { expect, test } from "vitest";
import { CHAT } from "./chat.ts";
import type { Dialect } from "./dialect.ts";
import { GEMINI } from "./gemini.ts";
import { MESSAGES } from "./messages.ts";
import { RESPONSES } from "./responses.ts";
import { ToolModel } from "./tool-model.ts";

type Json = Record<string, unknown>;

interface Case {
  name: string;
  dialect: Dialect;
  path: string;
  /** A request with these words, with the tool `wave`, and with these results. */
  request(said: string, results: readonly string[]): Json;
  /** What the answer calls and says, of its events or itself. */
  answered(values: Json[]): unknown[];
}

const WAVE = { name: "wave", description: "Waves", parameters: {} };

const CASES: readonly Case[] = [
  {
    name: "Chat Completions",
    dialect: CHAT,
    path: "/v1/chat/completions",
    request: (said, results) => ({
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: [{ type: "text", text: said }] },
        ...results.map((content) => ({ role: "tool", tool_call_id: "x", content })),
      ],
      tools: [{ type: "function", function: WAVE }],
      stream: true,
    }),
    answered: (values) =>
      values.flatMap(({ choices }) =>
        (choices as { delta: { content: string | null; tool_calls?: { function: Json }[] } }[]).flatMap(({ delta }) => [
          ...(delta.tool_calls ?? []).map((call) => [call.function.name, JSON.parse(String(call.function.arguments))]),
          ...(delta.content ? [delta.content] : []),
        ]),
      ),
  },
  {
    name: "Responses",
    dialect: RESPONSES,
    path: "/v1/responses",
    request: (said, results) => ({
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: said }] },
        ...results.map((output) => ({ type: "function_call_output", call_id: "x", output })),
      ],
      tools: [{ type: "function", ...WAVE }],
      stream: true,
    }),
    answered: (values) =>
      values
        .filter(({ type }) => type === "response.output_item.done")
        .map(({ item }) => item as { name?: string; arguments?: string; content?: { text: string }[] })
        .map((item) => (item.name ? [item.name, JSON.parse(item.arguments ?? "")] : item.content?.[0]?.text)),
  },
  {
    name: "Gemini",
    dialect: GEMINI,
    path: "/v1beta/models/any:streamGenerateContent",
    request: (said, results) => ({
      contents: [
        { role: "user", parts: [{ text: said }] },
        ...results.map((output) => ({
          role: "user",
          parts: [{ functionResponse: { name: "wave", response: { output } } }],
        })),
      ],
      tools: [{ functionDeclarations: [WAVE] }],
    }),
    answered: (values) =>
      values.flatMap(({ candidates }) =>
        (candidates as { content: { parts: { text?: string; functionCall?: Json }[] } }[]).flatMap(({ content }) =>
          content.parts.map((part) => part.text ?? [part.functionCall?.name, part.functionCall?.args]),
        ),
      ),
  },
  {
    name: "Messages",
    dialect: MESSAGES,
    path: "/v1/messages",
    request: (said, results) => ({
      messages: [
        { role: "user", content: said },
        ...results.map((content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: "x", content }] })),
      ],
      tools: [WAVE],
    }),
    answered: (values) =>
      values.flatMap(({ content }) => (content as Json[]).map((block) => block.text ?? [block.name, block.input])),
  },
];

test.for(CASES)(
  "$name: calls what it is told to, then says its last word",
  async ({ dialect, path, request, answered }) => {
    const input = { hand: "left" };
    const model = await ToolModel.start(dialect, {
      prompt: "Please wave",
      uses: [{ name: "wave", input }],
      text: "Waved.",
    });
    try {
      const ask = async (said: string, results: readonly string[]) => {
        const body = JSON.stringify(request(said, results));
        const response = await fetch(`${model.url}${path}?alt=sse`, { method: "POST", body });
        return answered(valuesOf(await response.text()));
      };
      expect(await ask("Please wave at me.", [])).toEqual([["wave", input]]);
      expect(await ask("Please wave at me.", ["it waved"])).toEqual(["Waved."]);
      expect(model.asked).toMatchObject([
        { offered: ["wave"], results: [] },
        { offered: ["wave"], results: [expect.stringContaining("it waved")] },
      ]);
      model.forget();
      expect(await ask("A title, please.", [])).toEqual(["Scripted"]);
      expect(model.asked).toEqual([]);
      expect((await fetch(`${model.url}/telemetry`, { method: "POST", body: "{}" })).status).toBe(400);
      expect(model.unexpected).toEqual(["POST /telemetry"]);
    } finally {
      await model.close();
    }
  },
);

/** The JSON values of an answer: of its events, or the one that it is. */
function valuesOf(body: string): Json[] {
  if (body.startsWith("{")) return [JSON.parse(body)];
  const data = body.split("\n").filter((line) => line.startsWith("data: {"));
  return data.map((line) => JSON.parse(line.slice("data: ".length)));
}
