/** Files as they are found on people's machines: what the hosts write, and what people make of it by hand. */

/** As Claude Code writes it. */
export const CLAUDE_JSON = `{
  "numStartups": 41,
  "tipsHistory": {},
  "mcpServers": {
    "files": {
      "type": "stdio",
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-filesystem",
        "/home/me"
      ],
      "env": {}
    },
    "tracker": {
      "type": "http",
      "url": "https://tracker.example/mcp",
      "headers": {
        "Authorization": "Bearer \${TRACKER_TOKEN}"
      }
    }
  },
  "projects": {
    "/home/me/caf\u00e9": {
      "allowedTools": [],
      "mcpServers": {}
    }
  },
  "userID": "1f"
}`;

/** By hand: tabs, CRLF, comments, trailing commas, no final newline. */
export const VS_CODE_JSONC = [
  "{",
  "\t// Servers for this repository",
  '\t"servers": {',
  '\t\t"files": { "command": "npx", "args": ["-y", "files-mcp"] }, // keep',
  '\t\t"git": {',
  '\t\t\t"type": "stdio",',
  '\t\t\t"command": "uvx",',
  `\t\t\t"args": ["mcp-server-git", "--repository", "\${workspaceFolder}"], // this one`,
  "\t\t},",
  '\t\t// "old": { "command": "x" },',
  "\t},",
  '\t"inputs": [',
  '\t\t{ "id": "token", "type": "promptString", "password": true },',
  "\t],",
  "}",
].join("\r\n");

export const CODEX_TOML = `# my codex
model = "gpt-5"   # fast enough
approval_policy = 'on-request'

[mcp_servers.files]
command = "npx"
args = [
  "-y",          # yes to all
  "files-mcp",
  # "/etc",
]
env = { TOKEN = 'abc', "LOG LEVEL" = "debug" }
startup_timeout_sec = 20

# The tracker
[mcp_servers."issue tracker"]
url = "https://tracker.example/mcp"
bearer_token_env_var = "TRACKER_TOKEN"

[mcp_servers."issue tracker".http_headers]
X-Team = """
blue"""

[projects."/home/me/repo"]
trust_level = "trusted"

[[hooks.Stop]]
matcher = ""
[[hooks.Stop]]
matcher = "x"
`;

export const GOOSE_YAML = `GOOSE_PROVIDER: anthropic
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    type: builtin
  files:
    type: stdio
    cmd: npx
    args:
    - -y
    - '@scope/files'   # latest
    envs: {}
    description: |
      Reads files.

      And # writes them.
    timeout: 300
    # available_tools: []
GOOSE_MODEL: claude   # big
`;

export const CONTINUE_YAML = `name: My config
version: 0.0.1
schema: v1
mcpServers:
  # first
  - name: files
    command: npx
    args: ["-y", "files-mcp"]
    env:
      TOKEN: \${{ secrets.TOKEN }}

  - name: tracker
    type: streamable-http
    url: "https://tracker.example/mcp"
`;
