/**
 * Requests of one direction that wait for their answer, by id.
 *
 * One request with an id: its answer is certain, and an answer to a cancelled one is known to be late and belongs to nobody.
 * An id that is used again while an earlier request with it may still be answered makes answers ambiguous: they are held
 * back, and whatever is paired then is not `certain`.
 * - As many answers as requests: they are paired in order, so that the answer to a cancelled request goes to nobody.
 * - Fewer, when the host uses the id once more or nothing more will come: a server that heeds a cancellation does not
 *   answer, so they are the live requests'. Only a server that answered the cancelled request instead is misread.
 */

/** What becomes of an answer: whose it is, and whether that is certain. */
export interface Pairing<Request, Answer> {
  request: Request;
  answer: Answer;
  certain: boolean;
}

interface Entry<Request, Answer> {
  requests: { request: Request; cancelled: boolean }[];
  held: Answer[];
}

export class Outstanding<Request, Answer> {
  readonly #byId = new Map<string, Entry<Request, Answer>>();

  /** The requests with this id that may still be answered. */
  waiting(id: string): Request[] {
    return this.#byId.get(id)?.requests.map(({ request }) => request) ?? [];
  }

  /** A request was sent. What was held for its id is settled: the host would not use the id again before it was answered. */
  open(id: string, request: Request): Pairing<Request, Answer>[] {
    const entry = this.#byId.get(id);
    if (entry === undefined) {
      this.#byId.set(id, { requests: [{ request, cancelled: false }], held: [] });
      return [];
    }
    const settled = entry.held.length > 0 ? this.#settleHeld(entry) : [];
    entry.requests.push({ request, cancelled: false });
    return settled;
  }

  /** The host gave up on the latest request with this id; answers it unless it was unknown. */
  cancel(id: string): Request | undefined {
    const latest = this.#byId.get(id)?.requests.at(-1);
    if (latest === undefined || latest.cancelled) return undefined;
    latest.cancelled = true;
    return latest.request;
  }

  /** An answer came. Empty when it belongs to no request, to a cancelled one, or has to be held back. */
  answer(id: string, answer: Answer): Pairing<Request, Answer>[] {
    const entry = this.#byId.get(id);
    if (entry === undefined) return [];
    const only = entry.requests[0];
    if (entry.requests.length === 1 && only !== undefined) {
      this.#byId.delete(id);
      return only.cancelled ? [] : [{ request: only.request, answer, certain: true }];
    }
    entry.held.push(answer);
    if (entry.held.length < entry.requests.length) return [];
    this.#byId.delete(id);
    return pairInOrder(entry);
  }

  /** Nothing more will come: what the held answers most likely belong to. */
  settle(): Pairing<Request, Answer>[] {
    const settled = [...this.#byId.values()].flatMap((entry) => this.#settleHeld(entry));
    this.#byId.clear();
    return settled;
  }

  /** Fewer answers than requests: a server that heeds a cancellation does not answer it. */
  #settleHeld(entry: Entry<Request, Answer>): Pairing<Request, Answer>[] {
    const live = entry.requests.filter((r) => !r.cancelled);
    const cancelled = entry.requests.filter((r) => r.cancelled);
    const late = cancelled.slice(0, Math.max(0, entry.held.length - live.length));
    const answered = [...late, ...live].slice(0, entry.held.length);
    const pairs = pairInOrder({ requests: answered, held: entry.held });
    entry.requests = entry.requests.filter((r) => !answered.includes(r));
    entry.held = [];
    return pairs;
  }
}

function pairInOrder<Request, Answer>(entry: Entry<Request, Answer>): Pairing<Request, Answer>[] {
  return entry.held.flatMap((answer, i) => {
    const of = entry.requests[i];
    return of === undefined || of.cancelled ? [] : [{ request: of.request, answer, certain: false }];
  });
}
