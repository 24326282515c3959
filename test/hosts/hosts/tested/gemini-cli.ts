import { GEMINI } from "../../../fakes/tool-model/gemini.ts";
import { otherHost } from "../../installed.ts";
import { quoted, type TestedHost } from "./tested-host.ts";

/** JSON with comments, which it reads, but without trailing commas, which it does not; tabs, and no final newline. */
export const GEMINI_CLI: TestedHost = {
  id: "gemini-cli",
  ...otherHost("gemini-cli"),
  dialect: GEMINI,
  config: ".gemini/settings.json",
  configText: ({ near, far }) => `{
\t// My servers.
\t"mcpServers" : {
\t\t"near":{ "command":${quoted(near.command)}, /* and what it runs */
\t\t\t"args":[${near.args.map(quoted).join(" , ")}],
\t\t\t"timeout": 30000 , "trust": true },
\t\t// "gone": { "command": "nothing" },
\t\t"far": {
\t\t\t"httpUrl": ${quoted(far)}, // streamable
\t\t\t"headers": { "Authorization": "Bearer \${FAR_TOKEN}" }
\t\t}
\t},
\t"security": { "auth": { "selectedType": "gemini-api-key" } },
\t"privacy": { "usageStatisticsEnabled": false },
\t"telemetry": { "enabled": false },
\t"general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false }
}`,
  files: () => ({}),
  env: (model) => ({
    GEMINI_API_KEY: "scripted",
    GOOGLE_GEMINI_BASE_URL: model,
    // A folder that a person has said yes to.
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  args: (prompt) => ["-p", prompt, "--yolo", "-m", "gemini-2.5-flash", "--output-format", "stream-json"],
  use: (server, tool) => ({ name: `mcp_${server}_${tool}` }),
  writesConfig: false,
  asksAnyway: [],
};
