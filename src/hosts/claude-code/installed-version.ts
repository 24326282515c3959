import { type HostVersion, isOlder, readHostVersion } from "../../core/host-version.ts";
import { namesIn } from "../../kit/file-facts.ts";
import { answerOf } from "../../kit/program-answer.ts";
import type { Place } from "../host.ts";
import { inHome, roaming } from "../place-paths.ts";
import { claudeDirectory, pathsOf } from "./places.ts";

/**
 * Which version of Claude Code is installed: asked of the programs themselves, read from the names of what editors bring. Of
 * several the oldest counts, since it has to take what is written for all. Changes nothing.
 */

/** Two installations are common; more are not worth the time. */
const MOST_ASKED = 4;
/** A start from a cold disk takes seconds. */
const ANSWER_MS = 10_000;

export async function installedVersion(place: Place): Promise<HostVersion | null> {
  const asked = await Promise.all(programs(place).map((program) => askVersion(program, place)));
  const found = [...asked, ...editorVersions(place)].filter((version) => version !== null);
  return found.reduce<HostVersion | null>(
    (oldest, one) => (oldest === null || isOlder(one, oldest) ? one : oldest),
    null,
  );
}

async function askVersion(program: string, { env, userHome }: Place): Promise<HostVersion | null> {
  const said = await answerOf([program, "--version"], { env, cwd: userHome, withinMs: ANSWER_MS });
  return said === null ? null : readHostVersion(said);
}

/** The programs of that name: the one a shell would start, and those where its installers put it. */
function programs(place: Place): string[] {
  const { join } = pathsOf(place);
  const found = place.env.PATH === undefined ? null : Bun.which("claude", { PATH: place.env.PATH, cwd: place.cwd });
  const name = place.platform === "win32" ? "claude.exe" : "claude";
  const directories = [
    inHome(place, ".local", "bin"),
    join(claudeDirectory(place), "local"),
    join(claudeDirectory(place), "local", "node_modules", ".bin"),
    inHome(place, ".npm-global", "bin"),
    inHome(place, ".bun", "bin"),
    inHome(place, ".volta", "bin"),
    ...(place.platform === "win32" ? [] : ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"]),
  ];
  const scripts = place.platform === "win32" ? [join(roaming(place), "npm", "claude.cmd")] : [];
  const usual = [...directories.map((directory) => join(directory, name)), ...scripts];
  const there = usual.filter((program) => place.files.exists(program));
  return [...new Set(found === null ? there : [found, ...there])].slice(0, MOST_ASKED);
}

/** Extensions of editors bring a program of their own, in a directory that is named after its version. */
function editorVersions(place: Place): (HostVersion | null)[] {
  const homes = [".vscode", ".vscode-insiders", ".vscode-server", ".cursor", ".windsurf"];
  return homes
    .flatMap((home) => namesIn(inHome(place, home, "extensions")))
    .filter((name) => name.startsWith("anthropic.claude-code-"))
    .map((name) => readHostVersion(name.slice("anthropic.claude-code-".length)));
}
