import type { RedactedText } from "../../core/redacted.ts";
import type { RunState } from "./bound-run.ts";

/**
 * What is kept of a session in the store, so that another server can go on where this one was killed. Not the truth about
 * any run (that is in the events): only what joins the next fact to the right one.
 */
export interface SessionState {
  key: string;
  sessionId: RedactedText | null;
  app: RedactedText | null;
  appVersion: RedactedText | null;
  cwd: RedactedText;
  projectDir: RedactedText | null;
  hostPid: number | null;
  hostStartedAt: string | null;
  /** Hooks of this session were heard. */
  isHooked: boolean;
  isEnded: boolean;
  /** Rows of transcripts older than this (epoch ms) are not this recording's. */
  since: number;
  /** When something was heard of it last, epoch ms. */
  lastAt: number;
  transcriptPath: RedactedText | null;
  /** Bytes of each transcript that were read and written down: the session's own under "", a subagent's under its id. */
  offsets: Record<string, number>;
  /** The run that each subagent belongs to. */
  agents: Record<string, RedactedText>;
  /** The run that started each background task which goes on. */
  tasks: Record<string, RedactedText>;
  /** The newest last; those that were closed long ago are left out. */
  runs: RunState[];
}
