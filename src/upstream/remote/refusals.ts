import { HttpFailure } from "../http/http.ts";

/**
 * Why a remote server gave no answer, in short words for people and models. Nothing that a server wrote is ever in them.
 */

const BY_STATUS: Readonly<Record<number, string>> = {
  401: "upstream requires sign-in",
  403: "upstream refused",
  404: "upstream has nothing at this address",
  405: "upstream takes no messages at this address",
  407: "the proxy on the way requires sign-in",
  413: "upstream takes no message of this size",
  429: "upstream asks to wait",
};

/** The words for an HTTP status that is no answer. */
export function refusalText(status: number): string {
  return `${BY_STATUS[status] ?? "upstream answered"} ${status in BY_STATUS ? `(HTTP ${status})` : `HTTP ${status}`}`;
}

/** The words for a request that got no answer, or not a whole one. */
export function failureText(cause: unknown): string {
  if (!(cause instanceof HttpFailure)) return "upstream could not be asked, by a fault of bir";
  if (cause.kind === "unreachable") return `upstream unreachable: ${cause.message}`;
  if (cause.kind === "lost") return `upstream connection lost before the answer: ${cause.message}`;
  return cause.kind === "aborted" ? "given up" : `upstream gave no valid answer: ${cause.message}`;
}
