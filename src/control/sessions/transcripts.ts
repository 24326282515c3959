import type { RedactedText } from "../../core/redacted.ts";
import type { TranscriptFact } from "../../core/transcript-fact.ts";
import { trustedText } from "../../redact/redact.ts";
import type { Services, TranscriptPoll, TranscriptSource } from "./services.ts";
import type { Session } from "./session.ts";
import { applyTranscriptFact, type CallDirectory, type Reading } from "./transcript-facts.ts";

/**
 * Follows what a host writes down of one session: its own transcript and its subagents'. Reads what is new when asked, a
 * bounded piece at a time. Remembers how far everything that was read is also written.
 */

interface FollowedFile {
  source: TranscriptSource;
  reading: Reading;
  /** Rows that could not be read, since the position that is kept. */
  lostRows: number;
}

/** Rows are in the order in which they were written, which is not quite that of their times. */
const ROW_ORDER_MS = 2_000;

export class Transcripts {
  readonly #session: Session;
  readonly #services: Pick<Services, "openTranscript">;
  readonly #directory: CallDirectory;
  readonly #followed = new Map<string, FollowedFile>();
  /** There was more to read when it was read last. */
  #isBehind = false;
  /** Set while the session's own transcript is read for the prompt that is under way: what it tells from that prompt on. */
  #underWay: TranscriptFact[] | null = null;
  #promptUnderWay: RedactedText | null = null;

  constructor(session: Session, services: Pick<Services, "openTranscript">, directory: CallDirectory) {
    this.#session = session;
    this.#services = services;
    this.#directory = directory;
  }

  /** Takes in what is new; true where there is more to read at once. */
  poll(): boolean {
    this.#isBehind = this.#pollOne("", null);
    for (const agentId of this.#agentsToFollow()) {
      if (this.#pollOne(agentId, trustedText(agentId))) this.#isBehind = true;
    }
    return this.#isBehind;
  }

  /** Hooks were heard first in the middle of this prompt: what the transcript tells since it was asked is told, too. */
  beginUnderWay(promptId: RedactedText): void {
    this.#underWay = [];
    this.#promptUnderWay = promptId;
  }

  /** What was written before a time (epoch ms) is not told any more: another process of the host goes on with the session. */
  startOver(at: number): void {
    this.keep();
    this.#followed.clear();
    this.#session.about.since = Math.max(this.#session.about.since, at);
  }

  /** More of it is to be told than was meant: it is read from its start. What was told already changes nothing. */
  readAgain(): void {
    this.#followed.clear();
    this.#session.positions = {};
  }

  /** The host writes the session down in another file from now on, which may begin with a copy. */
  moved(path: RedactedText): void {
    const { about, positions } = this.#session;
    this.poll();
    this.keep();
    for (const [key, { reading }] of this.#followed) {
      positions[key] = { offset: 0, lastAt: reading.lastAt };
    }
    for (const position of Object.values(positions)) position.offset = 0;
    this.#followed.clear();
    about.transcriptPath = path;
  }

  /** Where nothing is held back, another reader may go on from here. */
  keep(): void {
    if (this.#isBehind || !this.#session.isClean) return;
    for (const [key, followed] of this.#followed) {
      const { source, reading } = followed;
      if (reading.isInMessage) continue;
      this.#session.positions[key] = { offset: source.offset, lastAt: reading.lastAt };
      this.#tellLostRows(followed);
    }
    for (const run of this.#session.runs) run.keep();
  }

  /** Subagents whose run may still be told of. */
  #agentsToFollow(): string[] {
    const inMemory = new Set(this.#session.runs.map(({ id }) => id));
    const agents = Object.entries(this.#session.background.agents);
    return agents.flatMap(([agentId, runId]) => (inMemory.has(runId) ? [agentId] : []));
  }

  #pollOne(key: string, agentId: RedactedText | null): boolean {
    const followed = this.#followed.get(key) ?? this.#follow(key, agentId);
    if (followed === null) return false;
    const poll = followed.source.poll();
    const facts = key === "" ? this.#sincePrompt(poll) : poll.facts;
    for (const fact of facts) applyTranscriptFact(this.#session, fact, followed.reading, this.#directory);
    followed.lostRows += poll.lostRows;
    return poll.isBehind;
  }

  /** What is to be taken in: where the prompt that is under way is looked for, only once all was read. */
  #sincePrompt({ facts, isBehind }: TranscriptPoll): readonly TranscriptFact[] {
    if (this.#underWay === null) return facts;
    for (const fact of facts) {
      if (fact.kind === "prompt" && fact.notice === null && !fact.isSidechain) this.#underWay = [fact];
      else if (this.#underWay.length > 0) this.#underWay.push(fact);
    }
    if (isBehind) return [];
    const told = this.#underWay;
    this.#underWay = null;
    // An older host gives its prompts no ids: which one is under way cannot be told.
    return told[0]?.promptId === this.#promptUnderWay ? told : [];
  }

  #follow(key: string, agentId: RedactedText | null): FollowedFile | null {
    const { app, transcriptPath: path, since: oldest } = this.#session.about;
    if (app === null || path === null) return null;
    const { offset, lastAt } = this.#session.positions[key] ?? { offset: 0, lastAt: 0 };
    const since = key === "" && this.#underWay !== null ? 0 : Math.max(oldest, lastAt - ROW_ORDER_MS);
    const source = this.#services.openTranscript({ app, path, agentId, since, offset });
    if (source === null) return null;
    const reading = { runId: null, workedOn: null, rowId: null, ofRow: 0, isInMessage: false, lastAt };
    const followed = { source, reading, lostRows: 0 };
    this.#followed.set(key, followed);
    return followed;
  }

  /** Told with the position, so that rows which are read again are not counted again. */
  #tellLostRows(followed: FollowedFile): void {
    const { lostRows } = followed;
    if (lostRows === 0) return;
    followed.lostRows = 0;
    const run = this.#session.latest;
    const reason = trustedText("DEG-16 transcript-row-unreadable");
    if (run === null) this.#session.untold.rows += lostRows;
    else run.writer.gap(this.#session.about.lastAt, reason, lostRows);
  }
}
