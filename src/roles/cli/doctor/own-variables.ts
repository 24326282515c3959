import { ENV_VARIABLES, ownVariables as namesOfOurs } from "../../../kit/env.ts";
import { closest } from "../text/closest.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

const KNOWN: readonly string[] = ENV_VARIABLES.map(({ name }) => name);

/** Variables that begin with BIR_ but mean nothing: most often mistyped. */
export const ownVariables: DoctorCheck = {
  name: "own-variables",
  run: ({ context }) => {
    const unknown = namesOfOurs(context.env).filter((name) => !KNOWN.includes(name));
    return unknown.length === 0 ? [ok("every BIR_ variable that is set is known")] : unknown.map(unknownFinding);
  },
};

function unknownFinding(name: string): Finding {
  const near = closest(name, KNOWN);
  return {
    severity: "warning",
    message: `${name} is set, but this bir knows no such variable`,
    hint: near === null ? `It knows ${KNOWN.join(", ")}.` : `Did you mean ${near}?`,
  };
}
