import type { RedactedText } from "../../core/redacted.ts";
import { trustedText } from "../../redact/redact.ts";
import type { StoreEntry } from "../../store/entry.ts";
import type { Services } from "./services.ts";
import { Session } from "./session.ts";
import { freshSession, type SessionState } from "./session-state.ts";
import type { CallDirectory } from "./transcript-facts.ts";
import { Transcripts } from "./transcripts.ts";

/**
 * The sessions that are being recorded, each with its transcripts and its turn: one thing is done with a session after the
 * other. A session that was put away comes back when it is named.
 */

export interface Followed {
  session: Session;
  transcripts: Transcripts;
  /** What is being done with it. */
  turn: Promise<unknown>;
  /** How many things are to be done with it. */
  turns: number;
  /** When its transcripts were looked at, epoch ms. */
  polledAt: number;
  /** As it was kept last. */
  kept: string;
}

export class FollowedSessions {
  readonly #services: Services;
  readonly #directory: CallDirectory;
  readonly #kept: (key: string) => string | null;
  readonly #sessions = new Map<string, Followed>();
  /** Those that may have changed since they were kept. */
  readonly #changed = new Set<Followed>();

  /** `kept`: the state of a session in the store. */
  constructor(services: Services, directory: CallDirectory, kept: (key: string) => string | null) {
    this.#services = services;
    this.#directory = directory;
    this.#kept = kept;
  }

  get all(): Followed[] {
    return [...this.#sessions.values()];
  }

  find(key: string): Followed | undefined {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const state = this.#kept(key);
    return state === null ? undefined : this.restore(state);
  }

  /** The session with this key, or a new one. */
  follow(key: string, sessionId: RedactedText | null, cwd: string, at: number): Followed {
    return this.find(key) ?? this.#add(freshSession(key, sessionId, trustedText(cwd), at));
  }

  /** Goes on with a session as it was kept. */
  restore(state: string): Followed {
    return this.#add(JSON.parse(state) as SessionState);
  }

  /** Does one thing with a session after all that was begun before. */
  inTurn<T>(followed: Followed, work: () => Promise<T> | T): Promise<T> {
    followed.turns++;
    const done = followed.turn.then(work).finally(() => followed.turns--);
    followed.turn = done.catch(() => {});
    return done;
  }

  changed(followed: Followed): void {
    this.#changed.add(followed);
  }

  /** What is to be kept of the sessions that have changed. */
  entries(now: number): StoreEntry[] {
    const entries: StoreEntry[] = [];
    for (const followed of this.#changed) {
      const { session, transcripts } = followed;
      transcripts.keep();
      const state = JSON.stringify(session.state());
      if (state === followed.kept) continue;
      followed.kept = state;
      const isOpen = !session.isEnded || session.openRuns.length > 0;
      entries.push({ book: "session", key: session.key, isOpen, at: Math.floor(now), state });
    }
    this.#changed.clear();
    return entries;
  }

  /** Puts a session away; what is kept of it brings it back. */
  forget(followed: Followed): void {
    this.#sessions.delete(followed.session.key);
  }

  #add(state: SessionState): Followed {
    const write = (entry: StoreEntry) => {
      this.#changed.add(followed);
      this.#services.write(entry);
    };
    const followed = { turn: Promise.resolve(), turns: 0, polledAt: 0, kept: "" } as unknown as Followed;
    followed.session = new Session(state, { ...this.#services, write });
    followed.transcripts = new Transcripts(followed.session, this.#services, this.#directory);
    this.#sessions.set(state.about.key, followed);
    return followed;
  }
}
