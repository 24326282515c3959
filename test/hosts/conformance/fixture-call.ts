/** What a method or a tool of the fixture is given, and the small values they share. */

import type { Json } from "./message.ts";

export interface Call {
  params: Json;
  /** `params._meta` */
  meta: Json;
  modern: boolean;
  /** What the client declared: with this request (modern) or at its start. */
  capabilities: Json;
  /** Sends a notification on the stream of this request. */
  notify(method: string, params: Json): void;
  /** Asks the client (before 2026-07-28 only). */
  ask(method: string, params: Json): Promise<Json>;
  /** Closes the stream of this request; the client comes back for the answer (before 2026-07-28 only). */
  suspend(): void;
  /** Tells every subscriber that a list has changed. */
  changed(list: "tools" | "prompts"): void;
}

/** An answer that is a JSON-RPC error. */
export class Fault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A PNG of one pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A WAV file without a sound. */
export const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export const textBlock = (text: string) => ({ type: "text", text });

export const textResult = (text: string): Json => ({ content: [textBlock(text)] });

/** A form with one field, required. */
export function form(message: string, field: string, type = "string"): Json {
  return { message, requestedSchema: { type: "object", properties: { [field]: { type } }, required: [field] } };
}
