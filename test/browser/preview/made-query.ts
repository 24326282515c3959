import type { QueryIssue, RunItem } from "../../../src/core/service-wire.ts";

/** The query language, as much of it as made-up runs need. The real one is `parseRunQuery` of core. */

export interface MadeQuery {
  words: string[];
  issues: QueryIssue[];
  matches: (run: RunItem) => boolean;
}

const STATUSES = ["running", "completed", "failed", "interrupted", "abandoned"];

export function madeQuery(text: string): MadeQuery {
  const words: string[] = [];
  const issues: QueryIssue[] = [];
  const tests: ((run: RunItem) => boolean)[] = [];
  for (const match of text.matchAll(/(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g)) {
    const [whole, key, quoted, plain = quoted ?? ""] = match;
    const value = plain.toLowerCase();
    const place = { start: match.index, end: match.index + whole.length };
    if (key === undefined) words.push(plain);
    else if (key === "tool") tests.push((run) => run.tools?.some(({ tool }) => tool.toLowerCase() === value) ?? false);
    else if (key === "server")
      tests.push((run) => run.tools?.some(({ server }) => server?.toLowerCase() === value) ?? false);
    else if (key === "host") tests.push((run) => run.host?.app.toLowerCase() === value);
    else if (key === "is" && value === "error")
      tests.push((run) => run.status === "failed" || (run.errorCount ?? 0) > 0);
    else if (key === "is" && (value === "lossy" || value === "incomplete")) tests.push((run) => run.lossy);
    else if (key === "is" && value === "running") tests.push((run) => run.status === "running");
    else if (key === "status" && STATUSES.includes(value)) tests.push((run) => run.status === value);
    else if (key === "after" || key === "before") {
      const at = Date.parse(plain);
      if (Number.isNaN(at)) issues.push({ ...place, message: `${key}: takes a date (2026-11-24) or an age (3d)` });
      else tests.push((run) => (key === "after" ? run.startedAt >= at : run.startedAt < at));
    } else
      issues.push({
        ...place,
        message: `"${key}:" cannot be asked for; tool, server, host, status, is, after and before can`,
      });
  }
  const matches = (run: RunItem) =>
    tests.every((one) => one(run)) &&
    words.every((word) =>
      `${run.input} ${run.finalAnswer} ${run.tools?.map(({ tool }) => tool).join(" ")} forecast`
        .toLowerCase()
        .includes(word.toLowerCase()),
    );
  return { words, issues, matches };
}
