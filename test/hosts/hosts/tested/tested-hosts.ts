import { CLAUDE_CODE } from "./claude-code.ts";
import { CLINE } from "./cline.ts";
import { CODEX } from "./codex.ts";
import { COPILOT_CLI } from "./copilot-cli.ts";
import { GEMINI_CLI } from "./gemini-cli.ts";
import { OPENCODE } from "./opencode.ts";
import { QWEN_CODE } from "./qwen-code.ts";
import type { TestedHost } from "./tested-host.ts";

/** The hosts that are installed, each with a configuration in its own dialect. */
export const TESTED_HOSTS: readonly TestedHost[] = [
  CLAUDE_CODE,
  CODEX,
  GEMINI_CLI,
  QWEN_CODE,
  OPENCODE,
  COPILOT_CLI,
  CLINE,
];
