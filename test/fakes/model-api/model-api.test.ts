/** The scripted model itself: what it answers, what it notices, and that it notices what it should not get. */

import { expect, test as plain } from "vitest";
import { TrafficTrap } from "../traffic-trap.ts";
import { ModelApi } from "./model-api.ts";
import { type Conversation, text, thinking, use } from "./script.ts";

const GREETING: Conversation = {
  name: "greet",
  prompt: "Say hello",
  turns: [
    {
      content: [thinking("A greeting."), text("Hello, 😀 you."), use("wave", { hand: "left" })],
      usage: { output_tokens: 7 },
    },
    ({ messages }) => [text(`after ${messages.length} messages`)],
  ],
};
const SUB: Conversation = { name: "sub", prompt: "Wave", turns: [[text("Waved.")]] };
const FLAKY: Conversation = {
  name: "flaky",
  prompt: "Fail first",
  turns: [
    {
      content: [text("At last.")],
      failures: [
        { status: 529, type: "overloaded_error", message: "Overloaded" },
        { broken: "before the answer" },
        { broken: "in the answer" },
      ],
    },
  ],
};
const TOOLS = [{ name: "wave" }];
const said = (content: unknown) => ({ role: "user", content });
const replied = { role: "assistant", content: [{ type: "text", text: "…" }] };

const test = plain.extend<{ api: ModelApi }>({
  // biome-ignore lint/correctness/noEmptyPattern: the shape that vitest asks for
  api: async ({}, use) => {
    const api = await ModelApi.start([GREETING, SUB, FLAKY]);
    await use(api);
    await api.close();
  },
});

async function ask(api: ModelApi, messages: object[], more: object = {}): Promise<Response> {
  const body = JSON.stringify({ model: "m", tools: TOOLS, messages, ...more });
  const headers = { "x-api-key": "never kept", "x-kept": "yes" };
  return await fetch(`${api.url}/v1/messages?beta=true`, { method: "POST", headers, body });
}

const CONTENT = [
  { type: "thinking", thinking: "A greeting.", signature: expect.any(String) },
  { type: "text", text: "Hello, 😀 you." },
  { type: "tool_use", id: "toolu_greet_0_2", name: "wave", input: { hand: "left" } },
];

test("answers a turn whole", async ({ api }) => {
  const response = await ask(api, [said([{ type: "text", text: "Say hello, please" }])]);
  expect(await response.json()).toMatchObject({
    id: "msg_greet_0",
    model: "m",
    content: CONTENT,
    stop_reason: "tool_use",
    usage: { input_tokens: 100, output_tokens: 7 },
  });
  expect(api.requests[0]).toMatchObject({ kind: "turn", conversation: "greet", turn: 0, headers: { "x-kept": "yes" } });
  expect(JSON.stringify(api.requests)).not.toContain("never kept");
});

test("streams a turn, piece by piece", async ({ api }) => {
  const response = await ask(api, [said("Say hello")], { stream: true });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = (await response.text())
    .trim()
    .split("\n\n")
    .map((event) => JSON.parse(event.split("\ndata: ")[1] ?? ""));
  expect(events[0]).toMatchObject({ type: "message_start", message: { content: [], stop_reason: null } });
  expect(events.at(-2)).toMatchObject({
    type: "message_delta",
    delta: { stop_reason: "tool_use" },
    usage: { output_tokens: 7 },
  });
  expect(events.at(-1)).toEqual({ type: "message_stop" });
  const pieces = (index: number, key: string) =>
    events.filter((event) => event.index === index).flatMap((event) => event.delta?.[key] ?? []);
  expect(pieces(0, "thinking")).toEqual(["A greeting."]);
  expect(pieces(1, "text")).toHaveLength(2);
  expect(pieces(1, "text").join("")).toBe("Hello, 😀 you.");
  expect(JSON.parse(pieces(2, "partial_json").join(""))).toEqual({ hand: "left" });
});

test("finds its place by the newest prompt and the answers behind it", async ({ api }) => {
  const result = said([{ type: "tool_result", tool_use_id: "toolu_greet_0_2", content: "Wave" }]);
  const history = [said("Wave"), replied, said("Say hello"), replied, result];
  expect(await (await ask(api, history)).json()).toMatchObject({
    content: [{ text: "after 5 messages" }],
    stop_reason: "end_turn",
  });
  await ask(api, [said("Wave")]);
  expect(api.turnsOf("sub")).toMatchObject([{ turn: 0 }]);
  expect(await api.untilTurn("greet", 1)).toBe(api.turnsOf("greet")[0]);
  expect(api.unexpected()).toEqual([]);
});

test("fails as often as the script says, then answers", async ({ api }) => {
  const failed = await ask(api, [said("Fail first")]);
  expect([failed.status, await failed.json()]).toEqual([
    529,
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  ]);
  await expect(ask(api, [said("Fail first")])).rejects.toThrow();
  await expect(ask(api, [said("Fail first")], { stream: true }).then((response) => response.text())).rejects.toThrow();
  expect(await (await ask(api, [said("Fail first")])).json()).toMatchObject({ content: [{ text: "At last." }] });
});

test("knows what else clients ask, and notices what they should not", async ({ api }) => {
  const count = await fetch(`${api.url}/v1/messages/count_tokens`, { method: "POST", body: '{"messages":[]}' });
  expect(await count.json()).toEqual({ input_tokens: 4 });
  expect((await ask(api, [said("A title?")], { tools: [] })).status).toBe(200);
  expect((await fetch(api.url, { method: "HEAD" })).status).toBe(200);
  expect(api.requests.map(({ kind }) => kind)).toEqual(["count_tokens", "aside", "reachability"]);
  expect(api.unexpected()).toEqual([]);

  expect((await ask(api, [said("Something else")])).status).toBe(400);
  expect((await ask(api, [said("Wave"), replied])).status).toBe(400);
  expect((await fetch(`${api.url}/api/event_logging/batch`, { method: "POST", body: "{}" })).status).toBe(404);
  expect(api.unexpected()).toHaveLength(3);
});

test("the trap lets nothing through, and notes it", async () => {
  const trap = await TrafficTrap.start();
  try {
    const proxy = trap.env.HTTP_PROXY ?? "";
    await fetch("https://api.example.com/", { proxy }).catch(() => {});
    expect((await fetch("http://example.com/", { proxy })).status).toBe(403);
    expect(trap.caught).toEqual([
      "CONNECT api.example.com:443 HTTP/1.1",
      expect.stringMatching(/^GET http:\/\/example\.com/),
    ]);
  } finally {
    await trap.close();
  }
});
