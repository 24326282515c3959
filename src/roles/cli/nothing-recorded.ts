import { Problem } from "../../core/problem.ts";
import { lookAtSpool } from "./server-status.ts";

/** What a person is told who asks for recordings while there are none: why that may be, and what to do. */

/** The problem that commands on runs end with. */
export function nothingRecorded(home: string): Problem {
  return new Problem("no-runs", "there is no recorded run yet", hintFor(lookAtSpool(home).files));
}

/** The same as one line, for commands that end well with nothing to show. */
export function nothingRecordedLine(home: string): string {
  const { message, hint } = nothingRecorded(home);
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}. ${hint}`;
}

function hintFor(waiting: number): string {
  if (waiting === 1) return "1 report file waits for the control server: `bir up` takes it up.";
  if (waiting > 1) return `${waiting} report files wait for the control server: \`bir up\` takes them up.`;
  return "`bir install` has your MCP servers recorded; then start your application again and use one. `bir doctor` says what is amiss.";
}
