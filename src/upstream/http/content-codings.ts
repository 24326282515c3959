/**
 * How the body of an answer is compressed, by its head. None was asked for, but there are servers and gateways that do it all the same,
 * and every other client takes it. Pure.
 */

import { HttpFailure } from "./http.ts";

export type Coding = "gzip" | "deflate" | "br";

const CODINGS: Readonly<Record<string, Coding | null>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "br",
  identity: null,
};
/** Nobody has a use for more; each costs memory. */
const MAX_CODINGS = 3;

/**
 * In the order in which they were applied; none for an answer that has no body.
 * @throws HttpFailure `invalid` for an unknown one
 */
export function codingsOf({ status, headers }: { status: number; headers: ReadonlyMap<string, string> }): Coding[] {
  if (status === 204 || status === 304) return [];
  const codings: Coding[] = [];
  for (const name of (headers.get("content-encoding") ?? "").toLowerCase().split(/[\t ]*,[\t ]*/)) {
    if (name === "") continue;
    const coding = Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined;
    if (coding === undefined) throw encoded(name);
    if (coding !== null) codings.push(coding);
  }
  if (codings.length > MAX_CODINGS) throw encoded("several times");
  return codings;
}

/** Told of an encoding that was not asked for and cannot be undone. */
export function encoded(coding: string): HttpFailure {
  const named = /^[a-z][a-z0-9 -]{0,15}$/.test(coding) ? ` (${coding})` : "";
  return new HttpFailure("invalid", `the answer is compressed or encoded${named}, which was not asked for`);
}
