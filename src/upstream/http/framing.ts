/**
 * What the head of an answer says about the bytes behind it: where its body ends, and whether its connection can be used again
 * (RFC 9112, 6.3 and 9.3). Pure. Where two statements contradict each other, neither is believed.
 */

import { codingsOf, encoded } from "./content-codings.ts";
import { HttpFailure } from "./http.ts";
import type { ResponseHead } from "./response-head.ts";

export type Framing = { kind: "none" } | { kind: "length"; bytes: number } | { kind: "chunked" } | { kind: "close" };

/** How long a connection may lie idle whose server says nothing about it. What it says is shortened by `MARGIN_MS`. */
const IDLE_MS = 4000;
const MARGIN_MS = 1000;
const LONGEST_IDLE_MS = 600_000;

/** @throws HttpFailure `invalid` for lengths that contradict each other, and for a body that is encoded in an unknown way */
export function framingOf(head: ResponseHead): Framing {
  const { status, headers } = head;
  if (status === 204 || status === 304) return { kind: "none" };
  const length = statedLength(headers.get("content-length"));
  const transfer = headers.get("transfer-encoding")?.toLowerCase();
  codingsOf(head);
  if (transfer === undefined) return length === null ? { kind: "close" } : { kind: "length", bytes: length };
  if (length !== null) throw new HttpFailure("invalid", "the answer states both a length and a transfer encoding");
  if (transfer !== "chunked") throw encoded(transfer);
  return { kind: "chunked" };
}

/** How long the connection may be kept for another request, counted from the end of this answer; 0 where it must be closed. */
export function idleTimeMs({ isCurrent, headers }: ResponseHead, framing: Framing): number {
  if (!isCurrent || framing.kind === "close") return 0;
  if (/(?:^|,)[\t ]*close[\t ]*(?:,|$)/i.test(headers.get("connection") ?? "")) return 0;
  const stated = /(?:^|[,;])[\t ]*timeout[\t ]*=[\t ]*"?(\d{1,9})/i.exec(headers.get("keep-alive") ?? "")?.[1];
  if (stated === undefined) return IDLE_MS;
  return Math.min(LONGEST_IDLE_MS, Math.max(0, Number(stated) * 1000 - MARGIN_MS));
}

/** Lengths that were stated several times must be one and the same. */
function statedLength(value: string | undefined): number | null {
  if (value === undefined) return null;
  const [first = "", ...more] = value.split(/[\t ]*,[\t ]*/);
  const bytes = Number(first);
  if (!/^\d+$/.test(first) || bytes > Number.MAX_SAFE_INTEGER || more.some((other) => other !== first)) {
    throw new HttpFailure("invalid", "the answer does not state one length");
  }
  return bytes;
}
