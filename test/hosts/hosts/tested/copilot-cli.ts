import { CHAT } from "../../../fakes/tool-model/chat.ts";
import { otherHost } from "../../installed.ts";
import { quoted, type TestedHost } from "./tested-host.ts";

/** JSON with comments and a trailing comma, both of which it reads. Offline, with a model of the person's own. */
export const COPILOT_CLI: TestedHost = {
  id: "copilot-cli",
  ...otherHost("copilot-cli"),
  dialect: CHAT,
  config: ".copilot/mcp-config.json",
  configText: ({ near, far }) => `{"mcpServers":{
  "near": {"type":"local","tools":["*"],
    "command":${quoted(near.command)},"args":[${near.args.map(quoted).join(",")}]}, // here
  "far": {
    "type": "http",
    "url": ${quoted(far)},
    "headers": {"Authorization": "Bearer \${FAR_TOKEN}"},
    "tools": ["*"],
  },
}}
`,
  files: () => ({}),
  env: (model) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    // It blacks this out wherever it is found in its output.
    COPILOT_PROVIDER_API_KEY: "sk-scripted-and-long-enough",
    COPILOT_MODEL: "scripted",
  }),
  args: (prompt) => ["-p", prompt, "--allow-all-tools", "--no-color", "--output-format", "json"],
  use: (server, tool) => ({ name: `${server}-${tool}` }),
  writesConfig: false,
  asksAnyway: [],
};
