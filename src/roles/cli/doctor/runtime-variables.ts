import { type DoctorCheck, type Finding, ok } from "./check.ts";

/**
 * Variables of the Bun runtime inside the executable that it obeys whatever bir does: they can load foreign code into
 * it, turn it into something else, or keep it from starting.
 */

/** What each does to the executable; also asked about the `env` of configuration entries. */
export const RUNTIME_VARIABLES: Readonly<Record<string, string>> = {
  BUN_OPTIONS: "the executable obeys it, and it can load other code into every recording",
  BUN_BE_BUN: "it turns the executable into the Bun command line, and nothing is recorded",
};

export const runtimeVariables: DoctorCheck = {
  name: "runtime-variables",
  run: ({ context: { env } }) => {
    const found: Finding[] = [];
    for (const [name, effect] of Object.entries(RUNTIME_VARIABLES)) {
      if (env[name]) found.push({ severity: "warning", message: `${name} is set: ${effect}`, hint: `Unset ${name}.` });
    }
    for (const name of Object.keys(env).filter((one) => one.startsWith("BUN_JSC_"))) {
      found.push({
        severity: "info",
        message: `${name} is set: a BUN_JSC_ variable that the runtime does not know keeps the executable from starting`,
        hint: `Unset ${name} unless it is meant.`,
      });
    }
    return found.length === 0 ? [ok("no variable of the runtime is set")] : found;
  },
};
