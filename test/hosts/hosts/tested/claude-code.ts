import { MESSAGES } from "../../../fakes/tool-model/messages.ts";
import { claudeCode } from "../../installed.ts";
import type { TestedHost } from "./tested-host.ts";

/** One line of strict JSON, as it never writes it itself; but it does write the file in each session. */
export const CLAUDE_CODE: TestedHost = {
  id: "claude-code",
  name: "Claude Code 2.1.332",
  ...claudeCode("2.1.332"),
  dialect: MESSAGES,
  config: ".claude.json",
  configText: ({ near, far }) =>
    JSON.stringify({
      mcpServers: {
        near: { alwaysLoad: true, ...near },
        far: { type: "http", url: far, headers: { Authorization: `Bearer $\{FAR_TOKEN}` }, alwaysLoad: true },
      },
      hasCompletedOnboarding: true,
    }),
  files: () => ({}),
  env: (model) => ({
    ANTHROPIC_API_KEY: "sk-ant-scripted",
    ANTHROPIC_BASE_URL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    MCP_CONNECTION_NONBLOCKING: "0",
  }),
  args: (prompt) => ["-p", prompt, "--model", "claude-sonnet-4-5", "--allowedTools", "mcp__near", "mcp__far"],
  use: (server, tool) => ({ name: `mcp__${server}__${tool}` }),
  writesConfig: true,
  asksAnyway: [],
};
