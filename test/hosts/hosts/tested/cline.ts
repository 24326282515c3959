import { CHAT } from "../../../fakes/tool-model/chat.ts";
import { otherHost } from "../../installed.ts";
import { FAR_TOKEN, type TestedHost } from "./tested-host.ts";

/**
 * Strict JSON, and as it writes it itself: it writes the file anew in each session, and one with comments has no servers for it.
 * It fills in no variables.
 */
export const CLINE: TestedHost = {
  id: "cline",
  ...otherHost("cline"),
  dialect: CHAT,
  config: ".cline/data/settings/cline_mcp_settings.json",
  configText: ({ near: { command, args }, far }) => {
    const near = { command, args, disabled: false, autoApprove: ["echo"] };
    const headers = { Authorization: `Bearer ${FAR_TOKEN}` };
    return `${JSON.stringify({ mcpServers: { near, far: { type: "streamableHttp", url: far, headers } } }, null, 2)}\n`;
  },
  files: (model) => ({
    ".cline/data/settings/global-settings.json": JSON.stringify({ telemetryOptOut: true, autoUpdateEnabled: false }),
    ".cline/data/settings/providers.json": JSON.stringify(provider(model)),
  }),
  // Without a hub: a program that would stay behind.
  env: () => ({ CLINE_SESSION_BACKEND_MODE: "local", CLINE_NO_AUTO_UPDATE: "1", DO_NOT_TRACK: "1" }),
  args: (prompt) => ["--json", prompt],
  use: (server, tool) => ({ name: `${server}__${tool}` }),
  writesConfig: false,
  asksAnyway: ["CONNECT data.cline.bot:443 HTTP/1.1"],
};

function provider(model: string): object {
  const settings = { provider: "openai-compatible", apiKey: "sk-scripted", model: "scripted", baseUrl: `${model}/v1` };
  const chosen = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
  return { version: 1, lastUsedProvider: "openai-compatible", modes: {}, providers: { "openai-compatible": chosen } };
}
