import type { RedactedText } from "../core/redacted.ts";
import { openTail } from "../kit/file-tail.ts";
import { TranscriptReader } from "./transcript-reader.ts";

/** Finds what a host writes down of a session, and of its subagents. */

export interface TranscriptPlace {
  /** The application, e.g. `claude-code`. */
  app: string;
  /** The session's own transcript, as a hook names it. */
  path: string;
  /** Set for a subagent's. */
  agentId: RedactedText | null;
  /** Rows older than this (epoch ms) tell nothing. */
  since: number;
  /** Where to begin, in bytes. */
  offset: number;
}

/** Null where the application writes none that we can read. A file that is not there yet is looked for at each poll. */
export function openTranscript({ app, path, agentId, since, offset }: TranscriptPlace): TranscriptReader | null {
  if (app !== "claude-code") return null;
  if (agentId === null) return new TranscriptReader({ open: () => openTail(path) }, { since, offset });
  if (!/^[\w-]+$/.test(agentId)) return null;
  // Older versions put a subagent's beside the session's own.
  const beside = `${path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)}agent-${agentId}.jsonl`;
  const below = `${path.replace(/\.jsonl$/, "")}/subagents/agent-${agentId}.jsonl`;
  const open = () => openTail(below) ?? openTail(beside);
  return new TranscriptReader({ open }, { agentId, since, offset });
}
