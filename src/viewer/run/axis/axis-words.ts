import { counted, span } from "../../../core/text/when.ts";
import type { AxisBar, AxisModel } from "./axis-model.ts";

/** The axis in words, for who does not see it. */
export function axisWords({ bars, ticks, scale, sharedCount }: AxisModel): string {
  const count = (is: (bar: AxisBar) => boolean) => bars.filter(is).length;
  const errors = count(({ status }) => status === "error");
  const slow = count(({ isSlow }) => isSlow);
  const agents = new Set(bars.map(({ agent }) => agent)).size - (bars.some(({ agent }) => agent === 0) ? 1 : 0);
  const words = [
    `Time axis: ${counted(bars.length, "call")} over ${span(scale.timeAt(scale.length) - scale.timeAt(0))}`,
  ];
  if (errors > 0) words.push(counted(errors, "error"));
  if (slow > 0) words.push(`${slow} slow`);
  if (agents > 0) words.push(`${counted(agents, "subagent")}`);
  if (ticks.length > 0) words.push(`${counted(ticks.length, "note")}`);
  if (scale.idles.length > 0) words.push(`${counted(scale.idles.length, "idle stretch", "idle stretches")} cut out`);
  if (sharedCount > 0) words.push(`${counted(sharedCount, "call")} drawn over others`);
  return `${words.join(", ")}.`;
}
