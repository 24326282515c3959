/**
 * What the fake model says: the language of its script, and which turn of it a request asks for. Pure.
 *
 * A script is a list of conversations, each with the turns that the model takes in it. Which conversation a request
 * belongs to and how far it has come is read from the request alone: the newest user message with a conversation's
 * `prompt` in its text begins it, and every assistant message behind that is a turn taken. So sessions at the same
 * time, sub-agents (their prompt is what the calling tool was given) and resumed sessions need no state here.
 */

export type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string }
  | { type: "tool_use"; name: string; input: Record<string, unknown>; id?: string };

export interface Usage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
}

/** What is answered instead of a turn: an error of the API, or a connection that breaks. */
export type Failure =
  | { status: number; type: string; message: string }
  | { broken: "before the answer" | "in the answer" };

export interface Turn {
  content: readonly Block[];
  /** `tool_use` where a tool is used, else `end_turn`. */
  stopReason?: string;
  usage?: Partial<Usage>;
  /** The answer waits for this, and then for `delayMs`. */
  after?: PromiseLike<unknown>;
  delayMs?: number;
  /** Answered one after the other before the turn itself is. */
  failures?: readonly Failure[];
}

/** A turn, only its content, or what makes one of the request that asks for it. */
export type ScriptedTurn = Turn | readonly Block[] | ((body: MessagesBody) => Turn | readonly Block[]);

export interface Conversation {
  /** Short: part of the tool_use ids, `toolu_NAME_TURN_BLOCK`, which a block's own `id` replaces. */
  name: string;
  /** Text that the user message which begins it holds, and no other conversation's. */
  prompt: string;
  turns: readonly ScriptedTurn[];
}

/** The body of a request to `/v1/messages`, as far as a script looks at it. */
export interface MessagesBody {
  model: string;
  messages: readonly { role: string; content: string | readonly Record<string, unknown>[] }[];
  system?: unknown;
  tools?: readonly { name: string }[];
  stream?: boolean;
}

export interface Place {
  conversation: Conversation;
  /** From 0. */
  turn: number;
}

export const text = (said: string): Block => ({ type: "text", text: said });
export const thinking = (thought: string): Block => ({ type: "thinking", thinking: thought });
export const use = (name: string, input: Record<string, unknown> = {}, id?: string): Block => ({
  type: "tool_use",
  name,
  input,
  ...(id === undefined ? {} : { id }),
});

/** Where in the script a request is; undefined when no conversation's prompt is in it. */
export function placeOf(conversations: readonly Conversation[], { messages }: MessagesBody): Place | undefined {
  let turn = 0;
  for (const { role, content } of messages.toReversed()) {
    if (role === "assistant") turn++;
    if (role !== "user") continue;
    const said = typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n");
    const conversation = conversations.find(({ prompt }) => said.includes(prompt));
    if (conversation !== undefined) return { conversation, turn };
  }
  return undefined;
}

/** The turn at a place, whole; undefined behind the last one. */
export function turnAt({ conversation, turn }: Place, body: MessagesBody): Turn | undefined {
  const scripted = conversation.turns[turn];
  const given = typeof scripted === "function" ? scripted(body) : scripted;
  return given === undefined || "content" in given ? given : { content: given };
}
