import { RESPONSES } from "../../../fakes/tool-model/responses.ts";
import { MARK_VARIABLE } from "../../../harness/marked-processes.ts";
import { otherHost } from "../../installed.ts";
import { quoted, type TestedHost } from "./tested-host.ts";

/** TOML with CR LF, comments, three kinds of strings, and no final newline. */
export const CODEX: TestedHost = {
  id: "codex",
  ...otherHost("codex"),
  dialect: RESPONSES,
  config: ".codex/config.toml",
  configText: ({ near, far }, model) =>
    `# What I use at home.
model = "scripted"
model_provider = 'home'
approval_policy = "never"   # asks nobody
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
analytics.enabled = false
features = { plugins = false, apps = false, remote_plugin = false, tool_suggest = false }

[model_providers.home]
name = "home"
base_url = ${quoted(`${model}/v1`)}
wire_api = "responses"
env_key = "HOME_MODEL_KEY"

[mcp_servers.near] # the one on this machine
command = '${near.command}'
args = [
\t${near.args.map(quoted).join(",   # one\n\t")}, # the last
]
startup_timeout_sec = 30
env_vars=["${MARK_VARIABLE}"]

# [mcp_servers.gone]
# command = "nothing"

  [mcp_servers."far"]
  url="${far}"
  bearer_token_env_var = 'FAR_TOKEN'
  tool_timeout_sec = 60.0
  enabled=true`.replaceAll("\n", "\r\n"),
  files: () => ({}),
  env: () => ({ HOME_MODEL_KEY: "sk-scripted" }),
  args: (prompt) => ["exec", "--json", "--skip-git-repo-check", prompt],
  use: (server, tool) => ({ namespace: `mcp__${server}`, name: tool }),
  writesConfig: false,
  asksAnyway: [],
};
