import type { Step } from "../../core/run.ts";
import { toolName } from "../../core/text/run-facts.ts";

/** Which tools a run called how often. Pure. */

export interface ToolUse {
  /** As a row of the story names it. */
  name: string;
  /** What the filter's `tool:` takes. */
  tool: string;
  /** What the filter's `server:` takes; null for a tool of the host's own. */
  server: string | null;
  count: number;
}

/** Most often first. */
export function toolUse(steps: readonly Step[]): ToolUse[] {
  const uses: ToolUse[] = [];
  const byServer = new Map<string | null, Map<string, ToolUse>>();
  for (const step of steps) {
    let byTool = byServer.get(step.server);
    if (byTool === undefined) {
      byTool = new Map();
      byServer.set(step.server, byTool);
    }
    const tool = step.tool || step.qualifiedName;
    const known = byTool.get(tool);
    if (known !== undefined) {
      known.count++;
      continue;
    }
    const use = { name: toolName(step), tool, server: step.server, count: 1 };
    byTool.set(tool, use);
    uses.push(use);
  }
  return uses.sort((a, b) => b.count - a.count);
}
