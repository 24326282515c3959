import { Refused } from "../http-server/body.ts";
import { type ProblemStatus, problemAnswer } from "../http-server/problem-answer.ts";
import type { Handlers } from "./handler.ts";
import type { RecordingsAnswer } from "./recordings/answer.ts";
import type { Recordings } from "./recordings/recordings.ts";

/** The routes that take recordings: what `Recordings` makes of a body, as HTTP. */

type RecordingRoutes = "createRecording" | "addRows" | "changeRow" | "finishRecording";

export function recordingHandlers(recordings: Recordings): Pick<Handlers, RecordingRoutes> {
  return {
    createRecording: async ({ text, body }) => answerOf(await recordings.createRun({ text, value: body })),
    addRows: async ({ params: { runId }, text, body }) =>
      answerOf(await recordings.addSteps(runId, { text, value: body })),
    changeRow: async ({ params: { runId, stepId }, text, body }) =>
      answerOf(await recordings.patchStep(runId, stepId, { text, value: body })),
    finishRecording: async ({ params: { runId }, text, body }) =>
      answerOf(await recordings.finishRun(runId, { text, value: body })),
  };
}

function answerOf(answer: RecordingsAnswer): Response {
  const { status, body } = answer;
  if (!("title" in body)) return Response.json(body, { status });
  const retryAfter = "retryAfterSeconds" in answer ? answer.retryAfterSeconds : undefined;
  const headers = retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(retryAfter)) };
  throw new Refused(problemAnswer(status as ProblemStatus, body, headers));
}
