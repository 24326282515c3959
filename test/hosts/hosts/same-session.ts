/**
 * What two sessions of Claude Code with the same script have in common: everything that the host printed and everything
 * that it asked of the model, but for what is new in every session by its nature (ids, times, paths of its own).
 */

import { join } from "node:path";
import type { ModelRequest } from "../../fakes/model-api/model-api.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import type { Outcome } from "./sealed-claude.ts";

/** Members that differ between any two sessions. Found by comparing sessions that both ran without a proxy. */
const NEW_EACH_TIME = new Set(["uuid", "timestamp", "request_id", "messaging_socket_path", "metadata"]);
/** They count questions beside the conversation too (what to warm up, say), which the end of a short session cuts off. */
const OF_ASIDES = new Set(["modelUsage", "total_cost_usd"]);
const isLeftOut = (key: string): boolean => NEW_EACH_TIME.has(key) || OF_ASIDES.has(key) || key.endsWith("_ms");

export interface Lasting {
  exit: { code: number | null; signal: string | null };
  stderr: string;
  rows: unknown;
  /** The requests for the model's turns, whole. */
  asked: unknown;
}

/** The lasting part of a session that ran in this home and made these requests. */
export function lastingPart(box: Sandbox, home: string, outcome: Outcome, requests: readonly ModelRequest[]): Lasting {
  const ofSession = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, member) => (isLeftOut(key) ? undefined : member))
        .replaceAll(outcome.sessionId, "SESSION")
        .replaceAll(join(box.directory, home), "HOME")
        .replaceAll(home, "HOME")
        .replaceAll(/mcp-fake-blob-\d+-\w+/g, "BLOB"),
    );
  const turns = requests.filter(({ kind }) => kind === "turn");
  return {
    exit: { code: outcome.code, signal: outcome.signal },
    stderr: outcome.stderr,
    rows: ofSession(outcome.rows),
    asked: ofSession(turns.map(({ conversation, turn, body }) => ({ conversation, turn, body }))),
  };
}

/** Without the rows in which the host tells of the hooks themselves, which a session without hooks has none of. */
export function withoutHookRows({ rows, ...rest }: Lasting): Lasting {
  const isOfHook = (row: unknown) => /^hook_/.test(String((row as { subtype?: unknown }).subtype));
  return { ...rest, rows: (rows as unknown[]).filter((row) => !isOfHook(row)) };
}
