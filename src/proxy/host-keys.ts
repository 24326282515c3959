/**
 * What hosts tell of themselves in the `_meta` of a call and in the environment of the servers they start: measured
 * with the real applications. `_meta` wins, since an environment is inherited and may be another session's.
 */

/** `_meta` keys that hold the host's id of the call. */
export const CALL_ID_KEYS: readonly string[] = ["claudecode/toolUseId", "callId"];

/** `_meta` keys that hold the host's id of the session, best first. */
export const SESSION_ID_KEYS: readonly string[] = [
  "sessionId",
  "threadId",
  "vscode.conversationId",
  "ai.opencode/sessionID",
  "antigravity.google/conversation_id",
];

/** Environment variables in which hosts give their servers the id of the session. */
export const SESSION_ID_VARIABLES: readonly string[] = [
  "CLAUDE_CODE_SESSION_ID",
  "COPILOT_AGENT_SESSION_ID",
  "QWEN_CODE_SESSION_ID",
  "GROK_SESSION_ID",
];

/** Environment variables in which hosts name the directory of the project. */
export const PROJECT_DIR_VARIABLES: readonly string[] = ["CLAUDE_PROJECT_DIR", "QWEN_CODE_PROJECT_DIR"];

/** How client names in the protocol's handshake begin, and the name people use for the application. */
const APPS: readonly (readonly [clientName: string, app: string])[] = [
  ["claude-code", "claude-code"],
  ["codex-mcp-client", "codex"],
  ["gemini-cli", "gemini-cli"],
  ["qwen-cli", "qwen-code"],
  ["qwen-code", "qwen-code"],
  ["@cline/", "cline"],
  ["cursor", "cursor"],
  ["Visual Studio Code", "vscode"],
];

/** The application behind a client name; the name itself where it is not known. */
export function appOfClient(clientName: string): string {
  return APPS.find(([start]) => clientName.startsWith(start))?.[1] ?? clientName;
}

/** Since this version Claude Code marks every call of its model; an unmarked one was made by a hook of its own. */
const MARKS_CALLS_SINCE: readonly number[] = [1, 0, 128];

/** True for a client that puts `_meta` on every call its model makes. */
export function marksModelCalls(clientName: string, version: string | null): boolean {
  if (clientName !== "claude-code" || version === null) return false;
  const parts = version.split(/[.-]/).map(Number);
  for (const [i, least] of MARKS_CALLS_SINCE.entries()) {
    const part = parts[i] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
