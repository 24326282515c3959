import type { RunEvent } from "../../../../src/core/event.ts";
import { RunScript } from "../run-script.ts";
import { richRun } from "./rich.ts";

/** The rich run once more, with a few calls that went otherwise: for what compares two runs. */
export function againRun(endedAt: number): RunScript {
  const again = new RunScript({
    id: "run_again",
    startedAt: endedAt - 260_000,
    servers: ["github", "files", "postgres"],
  });
  const left = new Set<string>();
  const events = richRun(endedAt)
    .events.slice(1)
    .flatMap((event): RunEvent[] => {
      const text = JSON.stringify(event)
        .replaceAll("run_rich", "run_again")
        .replaceAll("src/forecast.ts", "src/parse.ts");
      const changed = JSON.parse(text.replaceAll("parses with an explicit offset", "now has a zone")) as RunEvent;
      if (changed.type === "step.opened" && changed.tool === "list_commits") left.add(changed.stepId);
      if (changed.type === "step.closed" && changed.status === "error" && changed.rpcError == null) {
        return [
          {
            ...changed,
            status: "ok",
            isError: false,
            error: null,
            result: { content: [{ type: "text", text: "3 rows" }] },
          },
        ];
      }
      return "stepId" in changed && left.has(changed.stepId) ? [] : [changed];
    });
  again.events.push(...events);
  return again;
}
