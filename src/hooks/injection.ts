import type { HookFact } from "../core/hook-fact.ts";
import { eachMember } from "../jsonrpc/json-span.ts";
import { isSet, readEnv } from "../kit/env.ts";
import { print } from "../kit/output.ts";
import { rawInput } from "./raw-input.ts";

/**
 * Gives a call that is about to start an id of ours, as an argument that the proxy takes out again: for hosts and versions that
 * send a server none. The one thing that a hook of ours ever prints, and only where a person has chosen it by a variable; not
 * loaded else. The arguments stay, letter for letter, what the model wrote.
 */

/** The argument; the proxy knows it by this name. */
const ID_KEY = "__bir_call_id__";

const DECISIONS = ["allow", "ask", "none"] as const;

/** A call that can be given an id. */
export interface Injection {
  /** What the host is told to do with the call; `none`: nothing. */
  decision: (typeof DECISIONS)[number];
  /** The call's arguments as the host wrote them: an object. */
  input: string;
}

/** Null for a call that takes no id: of a tool of the host's own, while the host only plans, or where nobody has chosen it. */
export function injectionOf(
  fact: HookFact,
  text: string,
  env?: Readonly<Record<string, string | undefined>>,
): Injection | null {
  const decision = DECISIONS.find((each) => each === readEnv("BIR_CORRELATION_DECISION", env));
  if (decision === undefined || isSet("BIR_NO_CORRELATION", env)) return null;
  if (fact.kind !== "tool-starting" || fact.server === null || fact.permissionMode === "plan" || fact.isCut)
    return null;
  const input = rawInput(text);
  return input === null || hasKey(input, ID_KEY) ? null : { decision, input };
}

/** Tells the host to put `injectedId` into the arguments. Throws what printing throws. */
export async function inject(injection: Injection, injectedId: string): Promise<void> {
  const output = injectionOutput(injection, injectedId);
  if (output !== null) await print(output);
}

/** The one JSON object that does it; null for an id that is none of ours. */
export function injectionOutput({ decision, input }: Injection, injectedId: string): string | null {
  if (!/^[\w-]{1,128}$/.test(injectedId)) return null;
  const rest = input.slice(1).trimStart();
  const updatedInput = `{"${ID_KEY}":"${injectedId}"${rest === "}" ? "" : ","}${rest}`;
  const permission = decision === "none" ? "" : `"permissionDecision":"${decision}",`;
  return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",${permission}"updatedInput":${updatedInput}}}\n`;
}

function hasKey(object: string, wanted: string): boolean {
  let isThere = false;
  eachMember(object, 0, (key) => {
    isThere ||= key === wanted;
  });
  return isThere;
}
