import type { CheckedOpening, CheckedPatch, CheckedRow } from "../../core/api/recordings.ts";
import type { RedactedJson } from "../../core/redacted.ts";
import { PLAIN_CLOSING, type StepChange, type StepClosing } from "../../record/run-writer.ts";
import { payloadOf, recordedOrNull, recordedText, wordsOf } from "./contents.ts";
import type { MemberTexts } from "./member-texts.ts";

/** What a row, or a change of one, says of its step, in the journal's terms. */

/** A step's end as far as it is known otherwise: what is told counts more. */
export type ClosingBefore = Partial<StepClosing>;

const NO_CLOSING: StepClosing = { ...PLAIN_CLOSING, status: "ok", isError: false };

export interface Closing {
  closing: StepClosing;
  result: RedactedJson | null;
}

/** How a step ended; what is neither told nor `before` is what most calls have. */
export function closingOf(
  row: CheckedRow | CheckedPatch,
  texts: MemberTexts,
  before: ClosingBefore,
  resultBefore: RedactedJson | null = null,
): Closing {
  const { bir } = row;
  const isOurs = bir !== undefined;
  const told = toldClosing(bir ?? {}, texts);
  const error = wordsOf(row.toolError);
  const output = texts.json("toolOutput");
  const saysHow = error !== null || output !== null;
  // Told without one of ours, an output is a success, and an error none.
  const isError = told.isError ?? (saysHow ? error !== null || saysError(row.toolOutput) : before.isError) ?? false;
  const status = told.status ?? (saysHow ? undefined : before.status) ?? (isError ? "error" : "ok");
  const words = error !== null ? recordedText(error) : saysHow ? null : (before.error ?? null);
  const besideError = isOurs ? birText(bir, texts, "result") : null;
  const resultText = isOurs && error !== null ? besideError : output;
  const isResultTold = saysHow || besideError !== null;
  const result = isResultTold ? payloadOf(resultText, isOurs) : resultBefore;
  return { closing: { ...NO_CLOSING, ...before, ...told, isError, status, error: words }, result };
}

type Bir = NonNullable<CheckedRow["bir"]>;

function toldClosing(bir: Bir, texts: MemberTexts): ClosingBefore {
  const { status, isError, durationMs, waitingMs, legs, progress, truncated, join } = bir;
  const rpcError = birText(bir, texts, "rpcError");
  return {
    ...(status !== undefined && { status }),
    ...(isError !== undefined && { isError }),
    ...(durationMs !== undefined && { durationMs }),
    ...(waitingMs !== undefined && { waitingMs }),
    ...(legs !== undefined && { legs }),
    ...(progress !== undefined && { progress }),
    ...(truncated !== undefined && { truncated }),
    ...(join !== undefined && { join }),
    ...(rpcError !== null && { rpcError: payloadOf(rpcError, true) }),
  };
}

/** What an update says of a step beside its arguments; empty where it says nothing. */
export function openingChange(bir: CheckedOpening, texts: MemberTexts): StepChange {
  const { sources, server, qualifiedName, callId, join, agentId, startedAt, truncated } = bir;
  const { status, legs, progress } = bir;
  const hostMeta = payloadOf(birText(bir, texts, "hostMeta"), true);
  return {
    ...(legs !== undefined && { legs }),
    ...(progress !== undefined && { progress }),
    ...(status !== undefined && { status }),
    ...(sources !== undefined && { sources }),
    ...(server !== undefined && { server: recordedOrNull(server) }),
    ...(qualifiedName !== undefined && { qualifiedName: recordedText(qualifiedName) }),
    ...(callId !== undefined && { callId: recordedOrNull(callId) }),
    ...(join !== undefined && { join }),
    ...(agentId !== undefined && { agentId: recordedOrNull(agentId) }),
    ...(hostMeta !== null && { hostMeta }),
    ...(startedAt !== undefined && { startedAt }),
    ...(truncated !== undefined && { truncated }),
  };
}

/** The JSON text of a member of `bir`; null where there is none. Looked for only where there is something to find. */
export function birText(bir: Bir, texts: MemberTexts, member: "hostMeta" | "rpcError" | "result"): string | null {
  const value = bir[member];
  return value === undefined ? null : value === null ? "null" : texts.birJson(member);
}

/** A tool's result that says itself that it is an error, as MCP has it. */
function saysError(output: unknown): boolean {
  return typeof output === "object" && output !== null && (output as { isError?: unknown }).isError === true;
}
