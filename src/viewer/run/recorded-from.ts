import type { Run } from "../../core/run.ts";

/** From where what is known of a run comes, told from what is there: which way a run was recorded promises nothing. Pure. */

export interface RecordedFrom {
  /** `MCP traffic, hooks`; empty where nothing tells. */
  short: string;
  /** In sentences, for who points at it. */
  sentence: string;
}

export function recordedFrom({ input, steps, wrappedServers }: Pick<Run, "input" | "steps" | "wrappedServers">) {
  const has = { proxy: wrappedServers.length > 0, hook: false, transcript: false };
  let hasOwnTools = false;
  for (const { sources, server } of steps) {
    for (const source of sources) has[source] = true;
    if (server === null && !sources.includes("proxy")) hasOwnTools = true;
  }
  const from: string[] = [];
  const sentences: string[] = [];
  if (has.proxy) {
    from.push("MCP traffic");
    sentences.push("Calls of wrapped MCP servers were recorded as they passed.");
  }
  if (has.hook) {
    from.push("hooks");
    sentences.push("The host told of calls by its hooks.");
  }
  if (has.transcript) {
    from.push("transcript");
    sentences.push("The host's transcript was read.");
  }
  const missing: string[] = [];
  if (input === null) missing.push("the prompt");
  if (!hasOwnTools) missing.push("a call of the host's own tools");
  if (missing.length > 0) sentences.push(`This record does not hold ${missing.join(" or ")}.`);
  return { short: from.join(", "), sentence: sentences.join(" ") } satisfies RecordedFrom;
}
