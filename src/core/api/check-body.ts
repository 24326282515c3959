import type { z } from "zod";

/**
 * Checks a body against a schema, and tells what is wrong with it in words that are all ours: where and which rule, never what
 * stood there.
 */

/** Where in a body something is wrong, e.g. `reports[2].status`, and the rule that it breaks, as zod names it. */
export interface BodyIssue {
  path: string;
  code: string;
}

export type CheckedBody<T> = { isGood: true; value: T } | { isGood: false; issues: BodyIssue[] };

const MAX_ISSUES = 20;

/** What a schema makes of `value`, or at most twenty of the issues that it has with it. */
export function checkBody<S extends z.ZodType>(schema: S, value: unknown): CheckedBody<z.output<S>> {
  const result = schema.safeParse(value);
  if (result.success) return { isGood: true, value: result.data };
  return { isGood: false, issues: result.error.issues.flatMap((issue) => issuesOf(issue, [])).slice(0, MAX_ISSUES) };
}

/** Of alternatives, those of the one that fits best. */
function issuesOf(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): BodyIssue[] {
  const path = [...before, ...issue.path];
  if (issue.code === "invalid_union") {
    const [best] = issue.errors.toSorted((a, b) => a.length - b.length);
    if (best !== undefined && best.length > 0) return best.flatMap((inner) => issuesOf(inner, path));
  }
  return [{ path: pathText(path), code: issue.code }];
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}
