import type { Step } from "../run.ts";
import { visible } from "./visible.ts";

/**
 * What a run is called that nobody gave a prompt to: by what it did. The same words wherever a run is named, so that a
 * person finds it again. Pure; what it gives is safe to show.
 */

/** A tool and how often a run called it. */
export interface CalledTool {
  server: string | null;
  tool: string;
  calls: number;
}

/** So many tools are named. */
const TOOLS_NAMED = 3;

/** The tools of these calls, most often first; those called as often by their first call, as the index orders them. */
export function calledTools(steps: Iterable<Pick<Step, "server" | "tool">>): CalledTool[] {
  const tools = new Map<string, CalledTool>();
  for (const { server, tool } of steps) {
    if (tool === "") continue;
    const key = JSON.stringify([server, tool]);
    const known = tools.get(key);
    if (known === undefined) tools.set(key, { server, tool, calls: 1 });
    else known.calls++;
  }
  return [...tools.values()].sort((a, b) => b.calls - a.calls);
}

/**
 * `everything › echo, get-sum, …`: servers, and their tools that were called most. `tools` in the order of `calledTools`;
 * null while they are not known.
 */
export function untitledRun(tools: readonly Pick<CalledTool, "server" | "tool">[] | null): string {
  if (tools === null) return "A run without a prompt";
  if (tools.length === 0) return "A run without calls";
  const byServer = new Map<string | null, string[]>();
  for (const { server, tool } of tools.slice(0, TOOLS_NAMED)) {
    const names = byServer.get(server) ?? [];
    names.push(visible(tool));
    byServer.set(server, names);
  }
  const parts = Array.from(byServer, ([server, names]) =>
    server === null ? names.join(", ") : `${visible(server)} › ${names.join(", ")}`,
  );
  return `${parts.join("; ")}${tools.length > TOOLS_NAMED ? ", …" : ""}`;
}
