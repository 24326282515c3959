import { stringifyExact } from "../../core/exact-json.ts";
import type { SearchField } from "../../core/service-wire.ts";
import { parseBody } from "../row-event.ts";
import type { JournalRow, JournalSource } from "./journal-source.ts";
import { jsonText, resultText, SEARCHED_LENGTH } from "./json-text.ts";

/** What is searched of a document: its fields with their texts. The index and whoever looks at a hit read the same. */

/** Where in the journal a document is. */
export interface DocumentPlaces {
  opened: number | null;
  args: number | null;
  closed: number | null;
}

/** A call as the journal tells it: payloads as JSON text, each null where there is none. */
export interface CallWords {
  server: string | null;
  tool: string;
  qualifiedName: string;
  args: string | null;
  result: string | null;
  error: string | null;
  rpcError: string | null;
}

export interface FieldText {
  field: SearchField;
  text: string;
}

/** The parts of a call that its opening tells. */
export function readOpening(row: JournalRow | null): Pick<CallWords, "qualifiedName" | "args"> {
  const { qualifiedName = "" } = row === null ? {} : bodyOf(row);
  return { qualifiedName: String(qualifiedName), args: row?.payload ?? null };
}

/** The parts of a call that its end tells. */
export function readClosing(row: JournalRow | null): Pick<CallWords, "result" | "error" | "rpcError"> {
  if (row === null) return { result: null, error: null, rpcError: null };
  const { error = null, rpcError = null } = bodyOf(row);
  return {
    result: row.payload,
    error: typeof error === "string" ? error : null,
    // Rare, and worth having to the letter.
    rpcError: rpcError === null ? null : stringifyExact(parseBody(row.body).rpcError),
  };
}

/** A call read back from the journal. */
export function readCall(
  source: JournalSource,
  places: DocumentPlaces,
  name: Pick<CallWords, "server" | "tool">,
): CallWords {
  const opening = readOpening(source.event(places.opened));
  const args = places.args === null ? opening.args : (source.event(places.args)?.payload ?? null);
  return { ...name, ...opening, args, ...readClosing(source.event(places.closed)) };
}

/** The fields of a call in the order in which they are looked at. */
export function callTexts({ server, tool, qualifiedName, args, result, error, rpcError }: CallWords): FieldText[] {
  const texts: FieldText[] = [];
  if (args !== null) texts.push({ field: "arguments", text: jsonText(args) });
  if (result !== null) texts.push({ field: "result", text: resultText(result) });
  if (rpcError !== null) texts.push({ field: "error", text: jsonText(rpcError) });
  else if (error !== null) texts.push({ field: "error", text: plainText(error) });
  // Last, so that what was said is shown before the name of the tool.
  texts.push({ field: "tool", text: `${server ?? ""} ${tool} ${qualifiedName}` });
  return texts;
}

/** The text of a note, a prompt or an answer. */
export function readText(row: JournalRow, field: "note" | "prompt" | "answer"): string | null {
  const text = bodyOf(row)[TEXT_KEYS[field]];
  return typeof text === "string" ? text : null;
}

/** As much of a text as is searched. */
export function plainText(text: string): string {
  return text.slice(0, SEARCHED_LENGTH);
}

const TEXT_KEYS = { note: "text", prompt: "input", answer: "finalAnswer" } as const;

/** The fields of an event that are no columns; none where they are damaged: what is left of the journal is searched. */
export function bodyOf(row: JournalRow): Record<string, unknown> {
  try {
    return JSON.parse(row.body) as Record<string, unknown>;
  } catch {
    return {};
  }
}
