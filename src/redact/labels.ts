/**
 * Values of labelled form fields in the page snapshots of browser tools: `- textbox "Password" [ref=e12]: hunter2`. Owns
 * that one notation. Returns where the scan goes on.
 */

import { classOfName } from "./key-cache.ts";
import { KEY } from "./key-class.ts";
import type { Scan } from "./scan-state.ts";
import { isSecretValue } from "./secret-value.ts";
import { lineEnd } from "./value-end.ts";
import { JSON_FORM } from "./value-form.ts";

const LOOK_BACK = 160;
const LABEL = /\\*"([^"\\]{1,60})\\*"(?: \[[^\]\n]{0,40}\]){1,5}$/;

/** `]:` at `bracket`: the value of a field whose label names a secret. */
export function maskLabelled(scan: Scan, bracket: number): number {
  const { text, codes } = scan;
  const from = Math.max(0, bracket - LOOK_BACK);
  const before = text.slice(from, bracket + 1);
  const match = codes[bracket + 2] === 0x20 ? LABEL.exec(before) : null;
  if (match === null) return bracket + 2;
  const start = from + match.index + match[0].indexOf('"') + 1;
  const end = start + (match[1]?.length ?? 0);
  const found = classOfName(codes, start, end);
  if (found < KEY.secret) return bracket + 2;
  const valueAt = bracket + 3;
  const valueTo = lineEnd(text, valueAt);
  if (valueTo >= text.length) scan.openAtEnd = true;
  if (!isSecretValue(found, match[1] ?? "", text.slice(valueAt, valueTo), JSON_FORM)) return valueAt;
  scan.mask(valueAt, valueTo, "key");
  return valueTo;
}
