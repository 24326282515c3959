import { problemAnswer } from "../http-server/problem-answer.ts";
import { isSecret } from "../http-server/secret.ts";

/**
 * Who may talk to the server: a process of this user that has read the token. A page in a browser on this machine reaches the
 * port too, so that a name that was made to point here, and any request that a page makes, is refused before its token is
 * looked at.
 */

/** Answers null for a request that may pass, and else the answer to give it. `port` is the server's own. */
export type Guard = (request: Request, port: number) => Response | null;

/** A guard that lets pass who knows `token`. */
export function guardWith(token: string): Guard {
  const isToken = isSecret(`Bearer ${token}`);
  return ({ headers }, port) => {
    const host = headers.get("host")?.toLowerCase();
    if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return problemAnswer(403);
    if (headers.has("origin")) return problemAnswer(403);
    if (isToken(headers.get("authorization") ?? "")) return null;
    return problemAnswer(401, {}, { "www-authenticate": "Bearer" });
  };
}
