import { eachElement, eachMember, skipSpace, stringValue } from "../../jsonrpc/json-span.ts";

/**
 * Takes the id of ours out of the arguments of tool calls in one whole line. Works on bytes: what is not a part of the taken
 * members stays as it was, whatever it is.
 */

/** The argument that hooks put in, see `src/hooks`. */
const ID_KEY = "__bir_call_id__";

/** A call in a line, and the id that was in it. */
export interface CallInLine {
  /** As the host wrote it. */
  rawId: string;
  injectedId: string | null;
}

export interface TakenOut {
  /** The line without the ids; the very same bytes where there was none. */
  line: Uint8Array;
  calls: CallInLine[];
}

interface Cut {
  start: number;
  end: number;
}

/** `line` is one message or batch, with or without its newline. */
export function takeOutIds(line: Uint8Array): TakenOut {
  // One character a byte: positions are the same, and what is no UTF-8 survives.
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("latin1");
  const cuts: Cut[] = [];
  const calls: CallInLine[] = [];
  const start = skipSpace(text, 0);
  if (text.startsWith("[", start)) eachElement(text, start, (_, at) => lookAtMessage(text, at, cuts, calls));
  else lookAtMessage(text, start, cuts, calls);
  return { line: cuts.length === 0 ? line : without(line, cuts), calls };
}

function lookAtMessage(text: string, at: number, cuts: Cut[], calls: CallInLine[]): void {
  let method: string | null = null;
  let rawId: string | null = null;
  let params = -1;
  eachMember(text, at, (key, start, end) => {
    if (key === "method") method = stringValue(text, start, end);
    else if (key === "id" && end > 0) rawId = utf8(text.slice(start, end));
    else if (key === "params") params = start;
  });
  if (method !== "tools/call") return;
  let injectedId: string | null = null;
  eachMember(text, params, (key, start) => {
    if (key === "arguments") injectedId = cutIds(text, start, cuts) ?? injectedId;
  });
  if (rawId !== null) calls.push({ rawId, injectedId });
}

/** Cuts the members out of the object at `at`, each with one comma, so that what is left is still an object. */
function cutIds(text: string, at: number, cuts: Cut[]): string | null {
  let injectedId: string | null = null;
  const members: { isOurs: boolean; keyStart: number; end: number }[] = [];
  const objectEnd = eachMember(text, at, (key, start, end, keyStart) => {
    const isOurs = key === ID_KEY;
    if (isOurs) injectedId = stringValue(text, start, end) ?? injectedId;
    members.push({ isOurs, keyStart, end });
  });
  if (objectEnd < 0 || !members.some(({ isOurs }) => isOurs)) return null;
  const firstKept = members.findIndex(({ isOurs }) => !isOurs);
  members.forEach(({ isOurs, keyStart, end }, index) => {
    if (!isOurs) return;
    const before = members[index - 1];
    const isBeforeAllKept = firstKept < 0 || index < firstKept;
    // In front of what stays, the comma behind goes with it; elsewhere the one before.
    if (isBeforeAllKept && index + 1 < members.length) cuts.push({ start: keyStart, end: afterComma(text, end) });
    else if (isBeforeAllKept) cuts.push({ start: keyStart, end });
    else cuts.push({ start: before === undefined ? keyStart : skipSpace(text, before.end), end });
  });
  return injectedId;
}

function afterComma(text: string, at: number): number {
  return skipSpace(text, at) + 1;
}

function without(line: Uint8Array, cuts: readonly Cut[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of cuts.toSorted((a, b) => a.start - b.start)) {
    pieces.push(line.subarray(from, start));
    from = end;
  }
  pieces.push(line.subarray(from));
  return Buffer.concat(pieces);
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
