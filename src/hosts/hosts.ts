import { CLAUDE_CODE } from "./claude-code/host.ts";
import type { Host } from "./host.ts";
import { amazonQ } from "./known/amazon-q.ts";
import { amp } from "./known/amp.ts";
import { antigravity } from "./known/antigravity.ts";
import { claudeDesktop } from "./known/claude-desktop.ts";
import { cline } from "./known/cline.ts";
import { clineVscode } from "./known/cline-vscode.ts";
import { codex } from "./known/codex.ts";
import { continueDev } from "./known/continue.ts";
import { copilotCli } from "./known/copilot-cli.ts";
import { cursor } from "./known/cursor.ts";
import { geminiCli } from "./known/gemini-cli.ts";
import { goose } from "./known/goose.ts";
import { junie } from "./known/junie.ts";
import { kiro } from "./known/kiro.ts";
import { lmStudio } from "./known/lm-studio.ts";
import { opencode } from "./known/opencode.ts";
import { qwenCode } from "./known/qwen-code.ts";
import { rooCode } from "./known/roo-code.ts";
import { vsCode } from "./known/vs-code.ts";
import { warp } from "./known/warp.ts";
import { windsurf } from "./known/windsurf.ts";
import { zed } from "./known/zed.ts";

/**
 * Every host that is known: those that were run first, then those of which only the documentation was read. The order is the one in
 * which they are told to people.
 */
export const HOSTS: readonly Host[] = [
  CLAUDE_CODE,
  codex,
  geminiCli,
  qwenCode,
  opencode,
  copilotCli,
  cline,
  amazonQ,
  amp,
  antigravity,
  claudeDesktop,
  clineVscode,
  continueDev,
  cursor,
  goose,
  junie,
  kiro,
  lmStudio,
  rooCode,
  vsCode,
  warp,
  windsurf,
  zed,
];
