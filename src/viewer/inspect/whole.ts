import { useEffect, useRef, useState } from "preact/hooks";
import { isBrief } from "../../core/brief.ts";
import type { Step } from "../../core/run.ts";
import { type Source, SourceProblem } from "../data/source.ts";
import type { InspectorPart } from "./inspector-part.ts";

/**
 * The whole of what is selected: what a list knows of it is shown at once, the rest is fetched, and a fetch that nobody waits
 * for any more is called off. A few are kept, so that going back and forth asks nothing.
 */

export type Whole =
  | { state: "whole"; part: InspectorPart }
  | { state: "loading"; part: InspectorPart }
  | { state: "failed"; part: InspectorPart; problem: string };

/** Somebody who walks through a list quickly asks for nothing. */
const PATIENCE_MS = 50;
const MOST_KEPT = 12;

const kept = new Map<string, InspectorPart>();

export function useWhole(source: Source, runId: string, part: InspectorPart): Whole & { retry: () => void } {
  const key = keyOf(runId, part);
  const known = key === null ? part : kept.get(key);
  const [failed, setFailed] = useState<{ key: string; problem: string } | null>(null);
  const [, setFetched] = useState(0);
  const [attempt, setAttempt] = useState(0);
  const last = useRef<Step | null>(null);
  useEffect(() => {
    if (key === null || kept.has(key)) return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        keep(key, await fetched(source, runId, part, stop.signal));
        setFetched((count) => count + 1);
      } catch (fault) {
        if (!stop.signal.aborted) setFailed({ key, problem: problemOf(fault) });
      }
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [source, runId, key, attempt]);
  const retry = () => {
    setFailed(null);
    setAttempt((count) => count + 1);
  };
  if (known !== undefined) {
    if (known.kind === "step") last.current = known.step;
    return { state: "whole", part: withPresent(known, part), retry };
  }
  if (failed !== null && failed.key === key) return { state: "failed", part, problem: failed.problem, retry };
  return { state: "loading", part: withLast(part, last.current), retry };
}

/** Of a call that goes on, the arguments that were fetched before; they do not flicker as the call moves on. */
function withLast(part: InspectorPart, last: Step | null): InspectorPart {
  if (part.kind !== "step" || last?.id !== part.step.id || !isBrief(part.step.args)) return part;
  return { kind: "step", step: { ...part.step, args: last.args } };
}

/** What tells one state of a part from another; null where what is known is the whole of it. */
function keyOf(runId: string, part: InspectorPart): string | null {
  if (part.kind === "step") {
    const { step } = part;
    if (!isStepBrief(step)) return null;
    const lengths = [step.args, step.result].map((payload) => (isBrief(payload) ? payload.length : 0));
    return JSON.stringify([runId, step.id, step.status, step.durationMs, step.legs, step.truncated, ...lengths]);
  }
  if (part.kind === "note") return isCutText(part.note.text) ? JSON.stringify([runId, "note", part.note.seq]) : null;
  return null;
}

function isStepBrief({ args, result, error, rpcError, context }: Step): boolean {
  return isBrief(args) || isBrief(result) || isBrief(rpcError) || isCutText(error) || isCutText(context);
}

/** Texts in brief end so (core/brief.ts). A text of its own that does is fetched for nothing. */
function isCutText(text: string | null): boolean {
  return text !== null && text.length > 1000 && text.endsWith("…");
}

async function fetched(
  source: Source,
  runId: string,
  part: InspectorPart,
  signal: AbortSignal,
): Promise<InspectorPart> {
  if (part.kind === "step") return { kind: "step", step: await source.step(runId, part.step.id, signal) };
  if (part.kind === "note") return { kind: "note", note: await source.note(runId, part.note.seq, signal) };
  return part;
}

/** The whole payloads, beside what may have changed since they were fetched. */
function withPresent(whole: InspectorPart, present: InspectorPart): InspectorPart {
  if (whole.kind !== "step" || present.kind !== "step") return whole;
  const { args, result, error, rpcError, context } = whole.step;
  const { index, agentId, callId, progress, waitingMs, sources, join } = present.step;
  return whole.step === present.step
    ? whole
    : mergedFor(
        whole.step,
        { ...present.step, args, result, error, rpcError, context },
        { index, agentId, callId, progress, waitingMs, sources, join },
      );
}

const merged = new WeakMap<Step, { key: string; part: InspectorPart }>();

/** The same object as long as nothing changed: what is unfolded stays so. */
function mergedFor(whole: Step, step: Step, changing: Partial<Step>): InspectorPart {
  const key = JSON.stringify(changing);
  const before = merged.get(whole);
  if (before?.key === key) return before.part;
  const part: InspectorPart = { kind: "step", step };
  merged.set(whole, { key, part });
  return part;
}

function keep(key: string, part: InspectorPart): void {
  kept.set(key, part);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

function problemOf(fault: unknown): string {
  return fault instanceof SourceProblem ? fault.message : "It could not be read.";
}
