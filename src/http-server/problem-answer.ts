import type { BodyIssue } from "../core/api/check-body.ts";

/**
 * What a server of ours answers when it does not do what it was asked: `application/problem+json` of words that are all ours.
 * Never quotes a request, and tells of a body only where in it something is wrong.
 */

const TITLES = {
  400: "the body is not what this route takes",
  401: "the token is missing or wrong",
  403: "not from here",
  404: "there is no such route",
  405: "this route takes another method",
  409: "this cannot be done to it just now",
  413: "the body is too large",
  415: "this route takes JSON",
  422: "this content cannot be kept",
  500: "a fault of ours",
  503: "it cannot be kept just now",
  504: "it is not kept yet",
} as const;

export type ProblemStatus = keyof typeof TITLES;

/** Where nothing more is known than the status. Programs go by them: one is added, none is changed. */
const CODES: Readonly<Record<ProblemStatus, string>> = {
  400: "invalid-request",
  401: "unauthorized",
  403: "forbidden",
  404: "no-such-route",
  405: "method-not-allowed",
  409: "conflict",
  413: "too-large",
  415: "unsupported-media-type",
  422: "not-storable",
  500: "fault",
  503: "not-now",
  504: "not-yet",
};

export interface ProblemMore {
  title?: string;
  /** Stable, for programs; every problem has one. */
  code?: string;
  /** What can be done, in a sentence. */
  detail?: string;
  issues?: BodyIssue[];
}

/** A problem as an answer; `more` are further members of it. */
export function problemAnswer(
  status: ProblemStatus,
  more: ProblemMore = {},
  headers: Record<string, string> = {},
): Response {
  return Response.json(
    { title: TITLES[status], status, code: CODES[status], ...more },
    { status, headers: { ...headers, "content-type": "application/problem+json" } },
  );
}
