import type { Place } from "../../../../hosts/host.ts";
import { answerOf } from "../../../../kit/program-answer.ts";

/** Which versions of hosts are installed, as far as their programs are on the PATH and tell. */

/** Hosts that are programs of the command line. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "claude-code": "claude",
  codex: "codex",
  "gemini-cli": "gemini",
  "qwen-code": "qwen",
  opencode: "opencode",
  "copilot-cli": "copilot",
  cline: "cline",
  "amazon-q": "q",
  amp: "amp",
  goose: "goose",
};

const ANSWER_MS = 5000;

/** By the host's id; hosts whose version cannot be told are not in it. */
export async function programVersions(ids: readonly string[], place: Place): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await Promise.all(
    ids.map(async (id) => {
      const version = await versionOf(PROGRAMS[id], place);
      if (version !== null) found.set(id, version);
    }),
  );
  return found;
}

async function versionOf(name: string | undefined, { env, userHome, cwd }: Place): Promise<string | null> {
  const program = name === undefined || env.PATH === undefined ? null : Bun.which(name, { PATH: env.PATH, cwd });
  if (program === null) return null;
  const said = await answerOf([program, "--version"], { env, cwd: userHome, withinMs: ANSWER_MS });
  return said === null ? null : (/\d+\.\d+\.\d+(?:[-+.][\w.-]+)?/.exec(said)?.[0] ?? null);
}
