import { fileFacts } from "../../../../kit/file-facts.ts";
import { shellWord } from "../../../../kit/shell-word.ts";
import { redactJson } from "../../../../redact/redact.ts";
import { type DoctorCheck, type Finding, ok } from "../check.ts";
import { usualConfigPaths } from "../mcp-config.ts";
import { withoutPlaceholders } from "./placeholders.ts";
import { surveyFor } from "./survey.ts";

/** Hosts' files: they can be read, and those with secrets are closed to others. Says no value. */
export const hostFiles: DoctorCheck = {
  name: "host-files",
  run: async (input) => {
    const { outlook, servers } = await surveyFor(input);
    const told = usualConfigPaths(input.context);
    const broken = outlook.problems
      // Told by the check of entries already.
      .filter(({ file }) => file === null || !told.includes(file))
      .map(({ message, hint }): Finding => ({ severity: "warning", message, hint }));
    const withSecrets = servers
      .filter(({ list, entry }) => list.scope !== "project" && [entry.env, entry.headers].some(hasSecret))
      .map(({ list }) => list.file);
    const open = [...new Set(withSecrets)].filter(isReadableByOthers);
    const found = [...broken, ...open.map(openFinding)];
    return found.length === 0 ? [ok("hosts' files can be read, and those with secrets only by you")] : found;
  },
};

function hasSecret(values: Record<string, unknown> | null): boolean {
  return Object.entries(values ?? {}).some(([key, value]) => {
    if (typeof value !== "string") return isMasked({ [key]: value });
    const { rest, defaults } = withoutPlaceholders(value);
    // What stands for a variable that is not set is a secret only where it looks like one by itself.
    return (rest !== "" && isMasked({ [key]: rest })) || defaults.some(isMasked);
  });
}

function isMasked(value: unknown): boolean {
  const text = JSON.stringify(value);
  return redactJson(text) !== text;
}

function isReadableByOthers(file: string): boolean {
  try {
    return ((fileFacts(file)?.mode ?? 0) & 0o044) !== 0;
  } catch {
    return false;
  }
}

function openFinding(file: string): Finding {
  return {
    severity: "warning",
    message: `${file} seems to hold a secret, and other users of this machine may read it`,
    hint: `Close it: chmod go-rwx ${shellWord(file)}`,
  };
}
