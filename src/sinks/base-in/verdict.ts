import type { Answer } from "./service-client.ts";

/** What an answer of a service means for what was sent, and for what still waits. Pure. */

export type Verdict =
  /** It is there, now or since before. */
  | { kind: "taken" }
  /** This write will never be taken; others may be. */
  | { kind: "refused"; status: number }
  /** Whoever asks is not let in: everything waits for a new sign-in. */
  | { kind: "sign-in"; status: number; why: string }
  /** The run, or the row, is not known there. */
  | { kind: "unknown" }
  /** Everything waits for as long as the service asks. */
  | { kind: "wait"; ms: number; why: string }
  /** It did not work this time. `why`: in words for people. */
  | { kind: "trouble"; status: number | null; why: string; ms: number };

/** What a service says that it never takes, whoever sends it and whenever. */
const REFUSED = new Set([400, 409, 413, 422]);
/** A service may ask for so long; then it is asked again all the same. */
const MAX_WAIT_MS = 24 * 60 * 60_000;
/** Where it asks to wait and does not say for how long. */
const WAIT_MS = 5000;

export function verdictOf(answer: Answer): Verdict {
  if (answer.kind === "none") return { kind: "trouble", status: null, why: answer.why, ms: 0 };
  const { status } = answer;
  const asked = Math.min(answer.retryAfterMs ?? 0, MAX_WAIT_MS);
  if (status >= 200 && status < 300) return answer.isPage ? page(status) : { kind: "taken" };
  if (status === 401) return { kind: "sign-in", status, why: "it does not know the token (HTTP 401)" };
  if (status === 403) return { kind: "sign-in", status, why: "the token may not write there (HTTP 403)" };
  if (status === 404) return { kind: "unknown" };
  if (REFUSED.has(status)) return { kind: "refused", status };
  if (status === 429) {
    const ms = answer.retryAfterMs === null ? WAIT_MS : asked;
    return { kind: "wait", ms, why: "it asks to wait (HTTP 429)" };
  }
  const isRedirect = status >= 300 && status < 400;
  const why = isRedirect
    ? `it redirects elsewhere, which is not followed (HTTP ${status})`
    : `it answers HTTP ${status}`;
  return { kind: "trouble", status, why, ms: asked };
}

/** Whatever is asked for, the sign-in of a network answers a page, and so does many a site: nothing was taken there. */
function page(status: number): Verdict {
  return { kind: "trouble", status, why: `it answers a web page (HTTP ${status})`, ms: 0 };
}
