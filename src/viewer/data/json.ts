import { parseExact } from "../../core/exact-json.ts";

/**
 * JSON that the service answers, as values. Numbers that a double cannot hold keep their text (see core/exact-json.ts)
 * where the browser can do that; elsewhere they are read as usual. Pure.
 */

/** A number somewhere in the text that a double may not hold, or would write differently. Says yes too often, never too rarely. */
const INEXACT = /[:,[\s](?:-?(?:[\d.]{16}|\d+\.\d*0(?!\d)|[\d.]+[eE]|0\.0{6})|-0(?![.\d]))/;

/** Parses one JSON text; throws SyntaxError. */
export function parseJson(text: string): unknown {
  // Most answers hold no such number, and a reviver costs several times as much as parsing does.
  return canBeExact() && mayBeInexact(text) ? parseExact(text) : JSON.parse(text);
}

function mayBeInexact(text: string): boolean {
  return INEXACT.test(text);
}

function canBeExact(): boolean {
  return "rawJSON" in JSON;
}
