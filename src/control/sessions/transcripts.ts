import type { RedactedText } from "../../core/redacted.ts";
import { trustedText } from "../../redact/redact.ts";
import type { Services, TranscriptSource } from "./services.ts";
import type { Session } from "./session.ts";
import { applyTranscriptFact, type CallDirectory, type Reading } from "./transcript-facts.ts";

/**
 * Follows what a host writes down of one session: its own transcript and its subagents'. Reads what is new when asked, a
 * bounded piece at a time. Remembers how far everything that was read is also written.
 */
export class Transcripts {
  readonly #session: Session;
  readonly #services: Pick<Services, "openTranscript">;
  readonly #directory: CallDirectory;
  readonly #followed = new Map<string, { source: TranscriptSource; reading: Reading }>();

  constructor(session: Session, services: Pick<Services, "openTranscript">, directory: CallDirectory) {
    this.#session = session;
    this.#services = services;
    this.#directory = directory;
  }

  /** Takes in what is new; true where there is more to read at once. */
  poll(): boolean {
    let isBehind = this.#pollOne("", null);
    for (const agentId of this.#session.agentIds) {
      if (this.#pollOne(agentId, trustedText(agentId))) isBehind = true;
    }
    if (!isBehind) this.#keep();
    return isBehind;
  }

  /** The host writes the session down in another file from now on. */
  moved(at: number): void {
    this.#followed.clear();
    this.#session.offsets = {};
    this.#session.since = at;
  }

  #pollOne(key: string, agentId: RedactedText | null): boolean {
    const followed = this.#followed.get(key) ?? this.#follow(key, agentId);
    if (followed === null) return false;
    const poll = followed.source.poll();
    for (const fact of poll.facts) applyTranscriptFact(this.#session, fact, followed.reading, this.#directory);
    if (poll.lostRows > 0) {
      const reason = trustedText("DEG-16 transcript-row-unreadable");
      this.#session.latest?.writer.gap(this.#session.lastAt, reason, poll.lostRows);
    }
    return poll.isBehind;
  }

  #follow(key: string, agentId: RedactedText | null): { source: TranscriptSource; reading: Reading } | null {
    const { app, transcriptPath, since, offsets } = this.#session;
    if (app === null || transcriptPath === null) return null;
    const offset = offsets[key] ?? 0;
    const source = this.#services.openTranscript({ app, path: transcriptPath, agentId, since, offset });
    if (source === null) return null;
    const followed = { source, reading: { runId: null, rowId: null, ofRow: 0 } };
    this.#followed.set(key, followed);
    return followed;
  }

  /** Where nothing is held back, another reader may go on from here. */
  #keep(): void {
    if (!this.#session.isClean) return;
    for (const [key, { source }] of this.#followed) this.#session.offsets[key] = source.offset;
    for (const run of this.#session.runs) run.keep();
  }
}
