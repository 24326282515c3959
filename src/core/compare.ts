import { alignCalls } from "./compare/align.ts";
import { type Call, callOf } from "./compare/call.ts";
import type { Pair } from "./compare/common-order.ts";
import { pairLanes } from "./compare/lanes.ts";
import { sameJson } from "./compare/same-json.ts";
import { answerOf } from "./compare/step-changes.ts";
import type { ComparedRun, ComparedStep, Comparison, ComparisonRow, Difference } from "./comparison.ts";
import type { Run, Step } from "./run.ts";
import { argumentLine } from "./text/argument-line.ts";

/**
 * Two runs side by side. Calls are compared by what they were (server, tool, arguments), never by when they were made or by ids,
 * which no two runs share; what came back is compared as it was recorded. Pure; the work is bounded for runs of any length.
 */

const ARGUMENT_LENGTH = 300;

/**
 * Every call of both runs stands in exactly one row. Rows follow the left run; the calls of one agent in the right run stand in
 * their order too, but for those that changed places with calls under way at the same time: that is no difference. Turned around
 * (`right`, `left`) the same calls stand side by side.
 */
export function compareRuns(left: Run, right: Run): Comparison {
  const leftCalls = left.steps.map(callOf);
  const rightCalls = right.steps.map(callOf);
  const isTurned = comesBefore(rightCalls, leftCalls, right.id, left.id);
  const pairs = isTurned
    ? pairedCalls(rightCalls, leftCalls).map(({ left: b, right: a, lane }) => ({ left: a, right: b, lane }))
    : pairedCalls(leftCalls, rightCalls);
  const rows = inRows(leftCalls, rightCalls, pairs).map(comparisonRow);
  const first = rows.findIndex(isDifferent);
  return {
    left: comparedRun(left),
    right: comparedRun(right),
    rows,
    firstDifference: first < 0 ? null : first,
    sameInput: left.input === right.input,
    sameAnswer: left.finalAnswer === right.finalAnswer,
    counts: {
      same: rows.filter((row) => !isDifferent(row)).length,
      changed: rows.filter(({ differs }) => differs.length > 0).length,
      leftOnly: rows.filter(({ right: step }) => step === null).length,
      rightOnly: rows.filter(({ left: step }) => step === null).length,
    },
  };
}

/** True for a row that is not the same on both sides. */
export function isDifferent(row: Pick<ComparisonRow, "left" | "right" | "differs">): boolean {
  return row.left === null || row.right === null || row.differs.length > 0;
}

interface CallPair {
  left: Call | null;
  right: Call | null;
  /** Tells lanes apart. */
  lane: number;
}

function pairedCalls(left: readonly Call[], right: readonly Call[]): CallPair[] {
  return pairLanes(left, right).flatMap((lanes, lane): CallPair[] => {
    const [a, b] = [lanes.left ?? [], lanes.right ?? []];
    const pairs = alignCalls(a, b);
    const isPaired = [0, 1].map((side) => new Set(pairs.map((pair: Pair) => pair[side === 0 ? 0 : 1])));
    return [
      ...pairs.map(([l, r]) => ({ left: a[l] ?? null, right: b[r] ?? null, lane })),
      ...a.filter((_, index) => !isPaired[0]?.has(index)).map((call) => ({ left: call, right: null, lane })),
      ...b.filter((_, index) => !isPaired[1]?.has(index)).map((call) => ({ left: null, right: call, lane })),
    ];
  });
}

/** The order in which two runs are paired, so that which is left and which is right makes no difference to it. */
function comesBefore(a: readonly Call[], b: readonly Call[], idOfA: string, idOfB: string): boolean {
  if (a.length !== b.length) return a.length < b.length;
  for (const [index, call] of a.entries()) {
    const other = b[index]?.exact ?? 0;
    if (call.exact !== other) return call.exact < other;
  }
  return idOfA < idOfB;
}

/** The pairs in the left run's order; what only the right run has stands before the next of its lane that both have. */
function inRows(left: readonly Call[], right: readonly Call[], pairs: readonly CallPair[]): CallPair[] {
  const ofLeft = new Map(pairs.flatMap((pair) => (pair.left === null ? [] : [[pair.left, pair] as const])));
  const rightOnly = new Map(pairs.flatMap((pair) => (pair.left === null ? [[pair.right, pair] as const] : [])));
  const lastOfLane = new Map(left.map((call) => [ofLeft.get(call)?.lane ?? 0, call]));
  const waiting = new Map<number, CallPair[]>();
  for (const call of right) {
    const pair = rightOnly.get(call);
    if (pair === undefined) continue;
    // An agent that only the right run had goes along with the main lane.
    const lane = lastOfLane.has(pair.lane) ? pair.lane : 0;
    const queue = waiting.get(lane);
    if (queue === undefined) waiting.set(lane, [pair]);
    else queue.push(pair);
  }
  for (const queue of waiting.values()) queue.reverse();
  const rows: CallPair[] = [];
  const flush = (lane: number, before: number) => {
    const queue = waiting.get(lane);
    while (queue !== undefined && (queue.at(-1)?.right?.step.index ?? Number.POSITIVE_INFINITY) < before) {
      rows.push(...queue.splice(-1));
    }
  };
  for (const call of left) {
    const pair = ofLeft.get(call);
    if (pair === undefined) continue;
    if (pair.right !== null) flush(pair.lane, pair.right.step.index);
    rows.push(pair);
    if (lastOfLane.get(pair.lane) === call) flush(pair.lane, Number.POSITIVE_INFINITY);
  }
  for (const lane of waiting.keys()) flush(lane, Number.POSITIVE_INFINITY);
  return rows;
}

function comparisonRow({ left, right }: CallPair): ComparisonRow {
  return {
    left: left === null ? null : comparedStep(left.step),
    right: right === null ? null : comparedStep(right.step),
    differs: left === null || right === null ? [] : differences(left.step, right.step),
  };
}

function differences(left: Step, right: Step): Difference[] {
  const differs: Difference[] = [];
  if (!sameJson(left.args, right.args)) differs.push("arguments");
  if (!sameJson(answerOf(left), answerOf(right))) differs.push("result");
  if (left.status !== right.status) differs.push("status");
  return differs;
}

function comparedStep(step: Step): ComparedStep {
  const { id, index, server, tool, qualifiedName, status, durationMs, agentId } = step;
  const line = argumentLine(step.args);
  return {
    id,
    index,
    server,
    tool,
    qualifiedName,
    status,
    durationMs,
    agentId,
    argumentLine: line.length <= ARGUMENT_LENGTH ? line : `${line.slice(0, ARGUMENT_LENGTH - 1).toWellFormed()}…`,
  };
}

function comparedRun({ id, input, finalAnswer, status, startedAt, endedAt, steps }: Run): ComparedRun {
  return { id, input, finalAnswer, status, startedAt, endedAt, stepCount: steps.length };
}
