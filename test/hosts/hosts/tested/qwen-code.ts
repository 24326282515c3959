import { CHAT } from "../../../fakes/tool-model/chat.ts";
import { otherHost } from "../../installed.ts";
import { quoted, type TestedHost } from "./tested-host.ts";

/** JSON with a byte order mark and comments, which it reads, but without trailing commas, which it does not. */
export const QWEN_CODE: TestedHost = {
  id: "qwen-code",
  ...otherHost("qwen-code"),
  dialect: CHAT,
  config: ".qwen/settings.json",
  // Without its own version mark it writes the file anew.
  configText: ({ near, far }) => `\uFEFF{
    "$version": 4,
    "security": { "auth": { "selectedType": "openai" } },
    "privacy": { "usageStatisticsEnabled": false },
    "telemetry": { "enabled": false },
    "general": { "enableAutoUpdate": false },
    "tools": { "toolSearch": { "enabled": false } }, // all tools at once
    "mcpServers": {
        /* the one on this machine */
        "near": {
            "args": [${near.args.map(quoted).join(",\n                     ")}],
            "command": ${quoted(near.command)},
            "trust": true
        },
        "far": { "httpUrl": ${quoted(far)}, "headers": { "Authorization": "Bearer $FAR_TOKEN" }, "timeout": 30000 }
    }
}
`,
  files: () => ({}),
  env: (model) => ({
    OPENAI_API_KEY: "sk-scripted",
    OPENAI_BASE_URL: `${model}/v1`,
    OPENAI_MODEL: "scripted",
    QWEN_CODE_NO_RELAUNCH: "1",
  }),
  args: (prompt) => ["-p", prompt, "--yolo", "--output-format", "stream-json"],
  use: (server, tool) => ({ name: `mcp__${server}__${tool}` }),
  writesConfig: false,
  asksAnyway: [],
};
