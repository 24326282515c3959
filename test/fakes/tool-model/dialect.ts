/**
 * What the scripted model needs of an API that hosts reach a model by: what a request offers and has been told so far, and how
 * an answer looks. One file a dialect. Types only.
 */

/** One call of a tool that the model makes, or its last word. */
export type Answer = { use: Use; id: string } | { text: string };

export interface Use {
  /** As the host names it to its model. */
  name: string;
  /** Where the host groups the tools of a server under a name. */
  namespace?: string;
  input: Record<string, unknown>;
}

/** A request, as far as the script looks at it. */
export interface Asked {
  /** What the person said, all of it. */
  said: string;
  /** The tools offered, `namespace.name` for those in a group. */
  offered: string[];
  /** What came back of the calls made so far, oldest first, as text. */
  results: string[];
  /** Wants the answer as events. */
  streams: boolean;
}

export interface HttpAnswer {
  type: "application/json" | "text/event-stream";
  body: string;
}

export interface Dialect {
  /** True for the path of a question to the model, without the query. */
  isQuestion(path: string): boolean;
  read(path: string, body: Record<string, unknown>): Asked;
  write(answer: Answer, asked: Asked, serial: number): HttpAnswer;
  /** What else of the API a host asks for, by path; undefined for what the API does not have. */
  other(method: string, path: string): unknown;
}

type Json = Record<string, unknown>;

/** The members of a list that are objects; none when it is no list. */
export function objects(list: unknown): Json[] {
  return Array.isArray(list) ? list.filter((one): one is Json => typeof one === "object" && one !== null) : [];
}

/** All text in a message's content, however deep. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  if (typeof content !== "object" || content === null) return "";
  const { text, content: inner, output } = content as Json;
  return textOf(text ?? inner ?? output);
}

/** Server-sent events that hold nothing but data. */
export function dataEvents(values: readonly unknown[]): string {
  return values.map((value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`).join("");
}
