import { CHAT } from "../../../fakes/tool-model/chat.ts";
import { otherHost } from "../../installed.ts";
import { quoted, type TestedHost } from "./tested-host.ts";

/** JSONC with CR LF, comments and trailing commas; a command is one array of words. */
export const OPENCODE: TestedHost = {
  id: "opencode",
  ...otherHost("opencode"),
  dialect: CHAT,
  config: ".config/opencode/opencode.jsonc",
  configText: ({ near, far }, model) =>
    `// opencode, as I like it
{
  "$schema": "https://opencode.ai/config.json",
  "autoupdate": false, "share": "disabled",
  "model": "home/scripted", "small_model": "home/scripted",
  "permission": "allow",
  "provider": {
    "home": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": ${quoted(`${model}/v1`)}, "apiKey": "sk-scripted" },
      "models": { "scripted": { "name": "scripted", "tool_call": true, }, },
    },
  },
  "mcp": {
    "near": { "type": "local", "enabled": true,
      "command": [ ${[near.command, ...near.args].map(quoted).join(",\n                   ")}, ], // a program and its words
    },
    "far": {
      "type": "remote", /* streamable */ "url": ${quoted(far)},
      "headers": { "Authorization": "Bearer {env:FAR_TOKEN}", },
    },
  },
}
`.replaceAll("\n", "\r\n"),
  files: () => ({}),
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_SHARE: "1" }),
  args: (prompt) => ["run", "--format", "json", prompt],
  use: (server, tool) => ({ name: `${server}_${tool}` }),
  writesConfig: false,
  // It wants to install its plugins' library beside its configuration.
  asksAnyway: ["CONNECT registry.npmjs.org:443 HTTP/1.1"],
};
