import type { ConfigFormat, ConfigFormatId } from "./config-text.ts";
import { jsonFormat } from "./json.ts";
import { jsonCommentsFormat, jsoncFormat } from "./jsonc.ts";
import { tomlFormat } from "./toml.ts";
import { yamlFormat } from "./yaml.ts";

/** The formats that can be edited. Each is one file beside this one. */

const FORMATS: Record<ConfigFormatId, ConfigFormat> = {
  json: jsonFormat,
  jsonc: jsoncFormat,
  "json-comments": jsonCommentsFormat,
  toml: tomlFormat,
  yaml: yamlFormat,
};

export function formatOf(id: ConfigFormatId): ConfigFormat {
  return FORMATS[id];
}

export { applyEdits } from "./text-edits.ts";
