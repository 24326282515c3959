import type { Answer, ServiceClient } from "./service-client.ts";

/**
 * Who is at the address of a service, and whether it lets us in: two requests that can change nothing wherever they end up. Never
 * quotes what it says.
 */

/** `refused`: the token is not let in. `odd`: something answers that does not look like a recordings service. */
export type Meeting = "reached" | "refused" | "odd" | "unreachable";

export interface Introduction {
  meeting: Meeting;
  isBir: boolean;
  /** HTTP status; null where there was no answer. */
  status: number | null;
  /** In words: the end of a sentence that begins with the service. */
  words: string;
}

export async function introduce(client: Pick<ServiceClient, "ask" | "write">): Promise<Introduction> {
  const health = await client.ask();
  if (health.kind === "none") return { meeting: "unreachable", isBir: false, status: null, words: unreachable(health) };
  const isBir = health.isOfBir;
  // A change of a row that nobody has: whoever is asked with a good token says that there is none.
  const nowhere = `/recordings/runs/${crypto.randomUUID()}/steps/${crypto.randomUUID()}`;
  const answer = await client.write("PATCH", nowhere, '{"bir":{"writeId":"introduction"}}');
  if (answer.kind === "none") return { meeting: "unreachable", isBir, status: null, words: unreachable(answer) };
  const found = said(answer, isBir);
  // That there is no such row is what a good token is told: it is no trouble that a program should see.
  const status = isBir && found.meeting === "reached" ? health.status : answer.status;
  return { ...found, isBir, status };
}

function said(
  { status, isPage }: Answer & { kind: "status" },
  isBir: boolean,
): Pick<Introduction, "meeting" | "words"> {
  if (status === 401) return { meeting: "refused", words: "does not know this token (HTTP 401)" };
  if (status === 403) return { meeting: "refused", words: "does not let this token write (HTTP 403)" };
  if (isPage && status >= 200 && status < 300) {
    return { meeting: "odd", words: `answers a web page (HTTP ${status}), as the sign-in of a network does` };
  }
  if (isBir) return { meeting: "reached", words: "is another bir, and lets this token in" };
  if (status === 404 || status === 400 || status === 422 || (status >= 200 && status < 300)) {
    return { meeting: "reached", words: "answers; whether it takes recordings shows with the first run" };
  }
  return { meeting: "odd", words: `answers HTTP ${status}; it is tried again when there is something to send` };
}

function unreachable({ why }: Answer & { kind: "none" }): string {
  return `cannot be reached: ${why}`;
}
