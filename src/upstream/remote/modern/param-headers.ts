import { eachMember, stringValue } from "../../../jsonrpc/json-span.ts";
import type { HeaderList } from "../../http/http.ts";
import type { HeaderDeclaration } from "./header-annotations.ts";
import { encodedHeaderValue } from "./header-value.ts";

/**
 * The `Mcp-Param-*` headers of one tool call (2026-07-28, Streamable HTTP, "Custom Headers from Tool Parameters"), from the text of its
 * arguments and what its tool declares. Reads only.
 */

/**
 * The headers for the arguments that begin at `at` in `text`, in the order of `declarations`. A value that is absent, null, an object
 * or an array has none; any other is written by its own type, whichever the schema says: the server compares with the body.
 */
export function paramHeaders(declarations: readonly HeaderDeclaration[], text: string, at: number): HeaderList {
  if (declarations.length === 0) return [];
  const values = new Map<HeaderDeclaration, string | null>();
  collect(declarations, 0, text, at, values);
  const headers: [string, string][] = [];
  for (const declaration of declarations) {
    const value = values.get(declaration) ?? null;
    if (value !== null) headers.push([`Mcp-Param-${declaration.name}`, encodedHeaderValue(value)]);
  }
  return headers;
}

/** Reads the object at `at`, to which the first `depth` keys of all `declarations` lead. */
function collect(
  declarations: readonly HeaderDeclaration[],
  depth: number,
  text: string,
  at: number,
  values: Map<HeaderDeclaration, string | null>,
): void {
  eachMember(text, at, (key, start, end) => {
    const inner: HeaderDeclaration[] = [];
    for (const declaration of declarations) {
      if (declaration.path[depth] !== key) continue;
      // Of a key that is written twice the last one counts, whole.
      values.delete(declaration);
      if (declaration.path.length === depth + 1) values.set(declaration, words(text, start, end));
      else inner.push(declaration);
    }
    if (inner.length > 0) collect(inner, depth + 1, text, start, values);
  });
}

/** A primitive in the words of the specification; null for what a header cannot tell. */
function words(text: string, start: number, end: number): string | null {
  if (end < 0) return null;
  const string = stringValue(text, start, end);
  if (string !== null) return string;
  const raw = text.slice(start, end);
  if (raw === "true" || raw === "false") return raw;
  // `null`, objects and arrays are no numbers; an integer beyond the safe range must not be told, since its digits may be read as others.
  const number = /^-?[0-9]/.test(raw) ? Number(raw) : Number.NaN;
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number)) ? String(number) : null;
}
