import { Problem } from "../core/problem.ts";

/** Places in lists, as those who ask for the next page send them back. Pure. */

/** Behind this run (in the order of lists), or below this document. */
type Place = { startedAt: number; id: string } | { document: number };

/** Longest text that is looked at. */
const MAX_LENGTH = 500;

export function cursorOf(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** The place behind a run; null for the first page. Throws Problem (`bad-cursor`). */
export function runPlace(cursor: string | null): { startedAt: number; id: string } | null {
  if (cursor === null) return null;
  const { startedAt, id } = readCursor(cursor);
  if (typeof startedAt !== "number" || typeof id !== "string") throw badCursor();
  return { startedAt, id };
}

/** The number of a document; null for the first page. Throws Problem (`bad-cursor`). */
export function documentPlace(cursor: string | null): number | null {
  if (cursor === null) return null;
  const { document: number } = readCursor(cursor);
  if (typeof number !== "number" || !Number.isSafeInteger(number)) throw badCursor();
  return number;
}

function readCursor(cursor: string): Record<string, unknown> {
  try {
    if (cursor.length > MAX_LENGTH || !/^[\w-]+$/.test(cursor)) throw badCursor();
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Falls through.
  }
  throw badCursor();
}

function badCursor(): Problem {
  return new Problem("bad-cursor", "this is no place in a list of this service", "Ask for the first page again.");
}
