import type { ConfigFormat } from "./config-text.ts";
import { JSON_EDITS } from "./json-edit.ts";
import { parseJson } from "./json-tree.ts";

/** Strict JSON: for hosts that ignore a file with a comment or a trailing comma in it. Such a file is an error here too. */
export const jsonFormat: ConfigFormat = {
  id: "json",
  parse: (text) => parseJson(text, { id: "json", comments: false, trailingCommas: false }),
  ...JSON_EDITS,
};
