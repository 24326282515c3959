import { ENV_VARIABLES, ownVariables as namesOfOurs } from "../../../kit/env.ts";
import { ignoredNumbers } from "../../../kit/env-number.ts";
import { closest } from "../text/closest.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

const KNOWN: readonly string[] = ENV_VARIABLES.map(({ name }) => name);

/** Variables that begin with BIR_ but mean nothing, most often mistyped, and those whose value means nothing. */
export const ownVariables: DoctorCheck = {
  name: "own-variables",
  run: ({ context }) => {
    const unknown = namesOfOurs(context.env).filter((name) => !KNOWN.includes(name));
    const found = [...unknown.map(unknownFinding), ...ignoredNumbers(context.env).map(numberFinding)];
    return found.length === 0 ? [ok("every BIR_ variable that is set is known")] : found;
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

function numberFinding({ name, default: fallback }: { name: string; default: string }): Finding {
  return {
    severity: "warning",
    message: `${name} is set to something that is no whole number above 0, so ${fallback} holds`,
    hint: "Write digits alone, without a unit.",
  };
}
