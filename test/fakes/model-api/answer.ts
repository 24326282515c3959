/**
 * Makes the API's answers of scripted turns: a message, or the events that stream one. Pure; knows nothing of HTTP.
 */

import type { Block, Turn, Usage } from "./script.ts";

export interface Message {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: Record<string, unknown>[];
  stop_reason: string | null;
  stop_sequence: null;
  usage: Usage;
}

/** One server-sent event. */
export interface StreamEvent {
  type: string;
  [member: string]: unknown;
}

const USAGE: Usage = {
  input_tokens: 100,
  cache_creation_input_tokens: 10,
  cache_read_input_tokens: 20,
  output_tokens: 42,
};
/** Clients hand it back unread. */
const SIGNATURE = Buffer.from("a scripted thought").toString("base64");

/** @param place makes the ids: the same place of a script has the same ids in every session */
export function messageOf(turn: Turn, model: string, place: { name: string; turn: number }): Message {
  const usesTool = turn.content.some(({ type }) => type === "tool_use");
  return {
    id: `msg_${place.name}_${place.turn}`,
    type: "message",
    role: "assistant",
    model,
    content: turn.content.map((block, index) => wireBlock(block, `toolu_${place.name}_${place.turn}_${index}`)),
    stop_reason: turn.stopReason ?? (usesTool ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: { ...USAGE, ...turn.usage },
  };
}

/** The events in which a message comes when it is streamed. Text and input come in two pieces where they can. */
export function eventsOf(message: Message): StreamEvent[] {
  const { content, stop_reason, usage } = message;
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: "message_start", message: begun },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: emptied(block) },
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

function wireBlock(block: Block, id: string): Record<string, unknown> {
  if (block.type === "thinking") return { ...block, signature: SIGNATURE };
  return block.type === "tool_use" ? { id, ...block } : { ...block };
}

function emptied(block: Record<string, unknown>): Record<string, unknown> {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  return { ...block, input: {} };
}

function deltasOf(block: Record<string, unknown>): Record<string, unknown>[] {
  const { type } = block;
  if (type === "text") return halves(String(block.text)).map((text) => ({ type: "text_delta", text }));
  if (type === "tool_use") {
    return halves(JSON.stringify(block.input)).map((json) => ({ type: "input_json_delta", partial_json: json }));
  }
  return [
    { type: "thinking_delta", thinking: block.thinking },
    { type: "signature_delta", signature: block.signature },
  ];
}

function halves(text: string): string[] {
  const characters = [...text];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle).join(""), characters.slice(middle).join("")].filter((half) => half !== "");
}
