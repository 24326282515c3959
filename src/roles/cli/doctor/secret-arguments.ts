import { redactJson } from "../../../redact/redact.ts";

/**
 * Which arguments of a command look like secrets: those that a recording would mask. Answers with names and places,
 * never with a value.
 */

/** Where secrets seem to stand: the option that holds one, or `argument N`. */
export function secretArguments(args: readonly string[]): string[] {
  const masked: unknown[] = JSON.parse(redactJson(JSON.stringify(args)));
  const places = args.flatMap((arg, index) => (masked[index] === arg ? [] : [placeOf(args, index)]));
  return [...new Set(places)];
}

function placeOf(args: readonly string[], index: number): string {
  const flag = /^--?[A-Za-z][\w.-]*(?==)/.exec(args[index] ?? "") ?? /^--?[A-Za-z][\w.-]*$/.exec(args[index - 1] ?? "");
  return flag === null ? `argument ${index + 1}` : flag[0];
}
