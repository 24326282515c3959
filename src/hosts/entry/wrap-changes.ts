import type { EntryChange } from "./entry-change.ts";
import { type Left, left } from "./left.ts";
import { memberOf } from "./nodes.ts";
import { remoteChanges } from "./remote-changes.ts";
import type { ServerEntry } from "./server-entry.ts";
import { addVariables, nothingMade, proxyWords, type WrapChanges, type WrapOrder } from "./wrap-order.ts";

/**
 * What is to change in an entry for its server to be recorded. All else in it stays as it is: the host goes on replacing
 * `${VAR}`, and keeps its timeouts and switches. Pure.
 */

/** The changes; or why the entry is left. */
export function wrapChanges(entry: ServerEntry, order: WrapOrder): WrapChanges | Left {
  if (entry.problem !== null) return left(entry.problem);
  const { env } = entry.list.shape;
  const variables = memberOf(entry.node, env);
  if (variables !== null && variables.kind !== "object") return left("env-form");
  return entry.kind === "remote" ? remoteChanges(entry, order) : stdioChanges(entry, order);
}

function stdioChanges(entry: ServerEntry, order: WrapOrder): WrapChanges | Left {
  const { command } = entry.list.shape;
  if (entry.command === null) return left("command-form");
  if (entry.args.length === 0 && isCommandLine(entry.command)) return left("command-line");
  const [executable, ...rest] = order.executableWords;
  const ours = [...rest, ...proxyWords(entry.name, order.flags), "--"];
  const made = nothingMade();
  const changes: EntryChange[] = [];
  let last: string;
  if (command.kind === "argv") {
    changes.push({ kind: "insert", path: [command.key], index: 0, values: [executable, ...ours] });
    last = command.key;
  } else {
    changes.push({ kind: "replace", path: [command.command], value: executable });
    const words = [...ours, entry.command];
    made.args = memberOf(entry.node, command.args) === null;
    changes.push(
      made.args
        ? { kind: "add", path: [], key: command.args, value: words, after: command.command }
        : { kind: "insert", path: [command.args], index: 0, values: words },
    );
    last = command.args;
  }
  addVariables(entry, order.birHome === null ? [] : [["BIR_HOME", order.birHome]], last, changes, made);
  return { changes, made };
}

/** A program with its arguments in one string: hosts without a shell would not find it, so it is not for us to split. */
function isCommandLine(command: string): boolean {
  const first = /^\S+(?=\s)/.exec(command.trim())?.[0];
  return first !== undefined && (!/[/\\]/.test(first) || /\s--?\w/.test(command));
}
