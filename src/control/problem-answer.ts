import type { BodyIssue } from "../core/api/check-body.ts";

/**
 * What the server answers when it does not do what it was asked: `application/problem+json` of words that are all ours.
 * Never quotes a request, and tells of a body only where in it something is wrong.
 */

const TITLES = {
  400: "the body is not what this route takes",
  401: "the token is missing or wrong",
  403: "not from here",
  404: "there is no such route",
  405: "this route takes another method",
  413: "the body is too large",
  500: "a fault of ours",
  503: "it cannot be kept just now",
} as const;

type ProblemStatus = keyof typeof TITLES;

/** A problem as an answer; `more` are further members of it. */
export function problemAnswer(
  status: ProblemStatus,
  more: { title?: string; code?: string; issues?: BodyIssue[] } = {},
  headers: Record<string, string> = {},
): Response {
  return Response.json(
    { title: TITLES[status], status, ...more },
    { status, headers: { ...headers, "content-type": "application/problem+json" } },
  );
}
