import type { RedactedText } from "../../core/redacted.ts";
import { processStartedAt } from "../../kit/process-identity.ts";
import { redactText } from "../../redact/redact.ts";
import { PROJECT_DIR_VARIABLES, SESSION_ID_VARIABLES } from "../host-keys.ts";

/** What a proxy knows of the session it is in before anything passes: from its process and its environment. */
export interface SessionFacts {
  serverName: string;
  cwd: string;
  /** As the host says. */
  projectDir: string | null;
  sessionId: RedactedText | null;
  processStartedAt: string;
}

export function sessionFacts(serverName: string): SessionFacts {
  const sessionId = firstVariable(SESSION_ID_VARIABLES);
  return {
    serverName,
    cwd: process.cwd(),
    projectDir: firstVariable(PROJECT_DIR_VARIABLES),
    sessionId: sessionId === null ? null : redactText(sessionId),
    processStartedAt: processStartedAt(process.pid) ?? "unknown",
  };
}

/** The directories that the session is of. */
export function directoriesOf({ cwd, projectDir }: SessionFacts): string[] {
  return projectDir === null || projectDir === cwd ? [cwd] : [cwd, projectDir];
}

function firstVariable(names: readonly string[]): string | null {
  for (const name of names) {
    const value = process.env[name];
    if (value) return value;
  }
  return null;
}
