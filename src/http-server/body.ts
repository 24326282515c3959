import { problemAnswer } from "./problem-answer.ts";

/**
 * Reads a request's body within bounds of size and time, whether or not it says beforehand how long it is. Of a body that goes
 * over them nothing is kept, and its connection is closed with the answer.
 */

const MIB = 1024 * 1024;

/** How much of a body that is too large is waited for, so that its sender can be told. */
export const DISCARDED_BYTES = 256 * MIB;

/** A sender on this machine that takes longer for its body has been stopped. */
const BODY_DEADLINE_MS = 30_000;

/** Stands for a request that is to be answered with `answer` instead of being looked at. */
export class Refused extends Error {
  readonly answer: Response;

  constructor(answer: Response) {
    super("refused");
    this.answer = answer;
  }
}

/** The body as text. Throws `Refused` for one over the bounds, and for one that broke off. */
export async function readBody(
  request: Request,
  limitBytes: number,
  deadlineMs: number = BODY_DEADLINE_MS,
): Promise<string> {
  const body = new Body(request, limitBytes);
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), deadlineMs);
  try {
    const text = await Promise.race([body.text(), late]);
    // Asked to try again, the sender of one that is too large would never stop.
    if (text === null) throw closing(body.isTooLarge ? 413 : 503);
    return text;
  } finally {
    clearTimeout(timer);
  }
}

class Body {
  readonly #request: Request;
  readonly #limitBytes: number;
  readonly #isTold: boolean;
  isTooLarge: boolean;

  constructor(request: Request, limitBytes: number) {
    const told = request.headers.get("content-length");
    this.#request = request;
    this.#limitBytes = limitBytes;
    this.#isTold = told !== null;
    this.isTooLarge = told !== null && !(Number(told) <= limitBytes);
  }

  async text(): Promise<string> {
    try {
      return this.#isTold && !this.isTooLarge ? await this.#request.text() : await this.#count();
    } catch (cause) {
      if (cause instanceof Refused) throw cause;
      // It ended before it was whole.
      throw closing(503);
    }
  }

  /**
   * Counts what comes. What is too large is read on without being kept: an answer that is given while its sender still writes is
   * lost with the connection, and the sender would take a refusal for a server that is gone, and send it all again.
   */
  async #count(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    let sizeBytes = 0;
    for await (const chunk of this.#request.body ?? []) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > this.#limitBytes) this.isTooLarge = true;
      if (sizeBytes > this.#limitBytes + DISCARDED_BYTES) break;
      text = this.isTooLarge ? "" : text + decoder.decode(chunk, { stream: true });
    }
    if (this.isTooLarge) throw closing(413);
    return text + decoder.decode();
  }
}

/** Of a body that did not come whole the sender may try again: it was stopped, or the whole machine was. */
function closing(status: 413 | 503): Refused {
  const more = status === 413 ? {} : { title: "the body did not come whole in time", code: "body-not-whole" };
  const headers: Record<string, string> = status === 413 ? {} : { "retry-after": "1" };
  return new Refused(problemAnswer(status, more, { ...headers, connection: "close" }));
}
