import { createHmac } from "node:crypto";
import { isSameSecret, newSecret } from "../../http-server/secret.ts";

/**
 * Browsers that were let in. One comes with a code that a person's own program has made, and gets a cookie and a key, which it
 * has to show together: cookies of this machine go to every port of it, the key is kept where only our own page reads it.
 *
 * Nothing is kept of a session: the cookie carries its own end and a seal, and the key follows from the cookie, so that an open
 * page outlives a restart, and a second page in the same browser gets the key of the first.
 */

const CODE_MS = 2 * 60_000;
const MAX_CODES = 50;
const SESSION_MS = 30 * 24 * 3600_000;
/** A session that would end sooner is replaced by a new one where a new code is shown. */
const RENEW_MS = SESSION_MS / 2;

/** What lets a browser in from now on. */
export interface Admission {
  key: string;
  /** The value of a `Set-Cookie` header. */
  cookie: string;
}

export class BrowserSessions {
  readonly #secret: string;
  readonly #now: () => number;
  /** Code → when it ends, epoch ms. */
  readonly #codes = new Map<string, number>();

  /** `secret` is the service's own; `now` answers epoch ms. */
  constructor(secret: string, now: () => number = Date.now) {
    this.#secret = secret;
    this.#now = now;
  }

  /** A code that lets one browser in, once. */
  newCode(): { code: string; expiresAt: number } {
    this.#forgetOldCodes();
    const code = newSecret();
    const expiresAt = this.#now() + CODE_MS;
    this.#codes.set(code, expiresAt);
    return { code, expiresAt };
  }

  /** What a browser that shows this code gets; null for a code that is wrong, spent or too old. */
  admit(code: string, headers: Headers, port: number): Admission | null {
    this.#forgetOldCodes();
    let found: string | null = null;
    for (const known of this.#codes.keys()) if (isSameSecret(code, known)) found = known;
    if (found === null) return null;
    this.#codes.delete(found);
    const present = this.#sessionIn(headers, port);
    const isLasting = present !== null && present.endsAt - this.#now() > RENEW_MS;
    const value = isLasting ? present.value : this.#newSession();
    const maxAge = Math.floor(SESSION_MS / 1000);
    return {
      key: this.#keyOf(value),
      cookie: `${cookieName(port)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`,
    };
  }

  /** Whether these headers are of a browser that was let in. */
  knows(headers: Headers, port: number): boolean {
    const session = this.#sessionIn(headers, port);
    const key = headers.get("x-bir-key");
    return session !== null && key !== null && isSameSecret(key, this.#keyOf(session.value));
  }

  #newSession(): string {
    const content = `${newSecret()}.${this.#now() + SESSION_MS}`;
    return `${content}.${this.#seal("session", content)}`;
  }

  #sessionIn(headers: Headers, port: number): { value: string; endsAt: number } | null {
    const name = `${cookieName(port)}=`;
    const pairs = (headers.get("cookie") ?? "").split(/;\s*/);
    for (const value of pairs.flatMap((pair) => (pair.startsWith(name) ? [pair.slice(name.length)] : []))) {
      const [, content, end, seal] = /^([\w-]{43}\.(\d{1,15}))\.([\w-]{43})$/.exec(value) ?? [];
      if (content === undefined || seal === undefined || Number(end) <= this.#now()) continue;
      if (isSameSecret(seal, this.#seal("session", content))) return { value, endsAt: Number(end) };
    }
    return null;
  }

  #keyOf(session: string): string {
    return this.#seal("key", session);
  }

  #seal(purpose: "session" | "key", content: string): string {
    return createHmac("sha256", this.#secret).update(`${purpose} ${content}`).digest("base64url");
  }

  #forgetOldCodes(): void {
    for (const [code, expiresAt] of this.#codes) {
      if (expiresAt <= this.#now() || this.#codes.size > MAX_CODES) this.#codes.delete(code);
    }
  }
}

/** Services on several ports of one machine share its cookies. */
function cookieName(port: number): string {
  return `bir-${port}`;
}
