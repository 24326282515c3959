import { ENV_VARIABLES, readEnv } from "./env.ts";

/**
 * Those of our variables that are numbers. A value that is none must not keep a session from starting: the default holds, and
 * `bir doctor` tells. Never reads anything but the table's variables.
 */

type NumberName = Extract<(typeof ENV_VARIABLES)[number], { value: "bytes" | "milliseconds" }>["name"];
type Environment = Readonly<Record<string, string | undefined>>;

/** What a timer can wait at most, and more than a message may have: what is above counts as this. */
const LARGEST = 2 ** 31 - 1;

/** A whole number, 1 to 2 147 483 647; the table's default where the variable is unset or anything else. */
export function readNumber(name: NumberName, env?: Environment): number {
  const fallback = ENV_VARIABLES.find((variable) => variable.name === name)?.default;
  return Math.min(numberOf(readEnv(name, env)) ?? Number(fallback), LARGEST);
}

/** Names of the variables that are set to something that is no number, though it should be, and what holds instead. */
export function ignoredNumbers(env?: Environment): { name: NumberName; default: string }[] {
  return ENV_VARIABLES.flatMap((variable) => {
    if (variable.value !== "bytes" && variable.value !== "milliseconds") return [];
    const value = readEnv(variable.name, env);
    return value === undefined || numberOf(value) !== null ? [] : [{ name: variable.name, default: variable.default }];
  });
}

function numberOf(value: string | undefined): number | null {
  return value !== undefined && /^[0-9]+$/.test(value) && Number(value) > 0 ? Number(value) : null;
}
