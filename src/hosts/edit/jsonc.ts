import type { ConfigFormat } from "./config-text.ts";
import { JSON_EDITS } from "./json-edit.ts";
import { parseJson } from "./json-tree.ts";

/** JSON with comments and trailing commas, as editors read their settings. */
export const jsoncFormat: ConfigFormat = {
  id: "jsonc",
  parse: (text) => parseJson(text, { id: "jsonc", comments: true, trailingCommas: true }),
  ...JSON_EDITS,
};

/** JSON with comments, where a trailing comma is an error. */
export const jsonCommentsFormat: ConfigFormat = {
  id: "json-comments",
  parse: (text) => parseJson(text, { id: "json-comments", comments: true, trailingCommas: false }),
  ...JSON_EDITS,
};
