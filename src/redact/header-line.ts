/**
 * The two headers whose value is a secret with a syntax of its own, as lines of text: `Authorization` and `Cookie`. Owns
 * what of them stays readable. Returns where the scan goes on.
 */

import { KEY } from "./key-class.ts";
import { isAboutTokens, isPlaceholder, SCHEME } from "./placeholder.ts";
import type { Scan } from "./scan-state.ts";
import { isSecretValue } from "./secret-value.ts";
import { endsLine, lineEnd, startsCode, valueEnd } from "./value-end.ts";
import { type ValueForm, WORD_FORM } from "./value-form.ts";

/** `Authorization: Bearer …`: the scheme stays. `spaced`: it is assigned in code, with ` = `. */
export function maskAuthorization(scan: Scan, at: number, key: string, spaced: boolean): number {
  const { text } = scan;
  const scheme = SCHEME.exec(text.slice(at, at + 40))?.[0] ?? "";
  const start = at + scheme.length;
  if (startsCode(text, start)) return start;
  const hasParameters = /^(?:digest|aws4|oauth|negotiate|googlelogin|pveapitoken)/i.test(scheme);
  const end = hasParameters ? lineEnd(text, start) : valueEnd(text, start, false);
  if (end >= text.length) scan.openAtEnd = true;
  const value = text.slice(start, end);
  const form: ValueForm = { ...WORD_FORM, assigned: false, verbatim: false, alone: endsLine(text, end), spaced };
  const isSecret =
    scheme !== ""
      ? !isPlaceholder(value, key) && !isAboutTokens(value)
      : isSecretValue(KEY.authorization, key, value, form);
  if (!isSecret && !(end >= text.length && scan.cutEnd)) return start;
  scan.mask(start, end, "key");
  return end;
}

/** `Cookie: a=b; c=d`: everything to the end of the line. */
export function maskCookies(scan: Scan, at: number): number {
  const { text } = scan;
  if (!/^[\w.%-]{1,64}=[^\s"'\\=]/.test(text.slice(at, at + 68))) {
    if (at >= text.length - 68 && scan.cutEnd) scan.openAtEnd = true;
    return at;
  }
  const line = lineEnd(text, at);
  const apostrophe = text.slice(at, line).indexOf("'");
  const end = apostrophe < 0 ? line : at + apostrophe;
  if (end >= text.length) scan.openAtEnd = true;
  scan.mask(at, end, "key");
  return end;
}
