import { EVENT_VERSION } from "../core/event.ts";
import { isTooDeep } from "../core/exact-json.ts";
import type { EventHead } from "./entry.ts";

/**
 * The `body` of an event's row: its own fields as JSON, without those that are columns. Parts that are JSON text already go
 * in as they are. Fields of the two frequent events are picked by hand: copying objects costs more than all the rest.
 */
export function eventBody(head: EventHead): string {
  const v = EVENT_VERSION;
  if (head.type === "step.opened") {
    const { stepId, sources, server, tool, qualifiedName, callId, join, agentId, startedAt, truncated } = head;
    const { context, hostMeta } = head;
    const named = { v, stepId, sources, server, tool, qualifiedName, callId, join, agentId };
    const body = { ...named, startedAt, context, truncated };
    return withJson(body, "hostMeta", hostMeta === null ? "{}" : soundJson(hostMeta));
  }
  if (head.type === "step.closed") {
    const { stepId, status, isError, error, durationMs, waitingMs, legs, progress, truncated, join, rpcError } = head;
    const body = { v, stepId, status, isError, error, durationMs, waitingMs, legs, progress, truncated, join };
    return withJson(body, "rpcError", rpcError === null ? "null" : soundJson(rpcError));
  }
  const { runId: _runId, seq: _seq, type: _type, at: _at, ...body } = head;
  if (head.type === "step.updated" && head.hostMeta !== undefined) {
    return withJson({ v, ...body, hostMeta: undefined }, "hostMeta", soundJson(head.hostMeta));
  }
  return JSON.stringify({ v, ...body });
}

/** What came off a wire may be no JSON after all, or nested too deeply to be read again: its text is kept then. */
function soundJson(text: string): string {
  return isTooDeep(text) || !isJson(text) ? JSON.stringify({ unreadable: text }) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withJson(body: object, key: string, json: string): string {
  return `${JSON.stringify(body).slice(0, -1)},"${key}":${json}}`;
}
