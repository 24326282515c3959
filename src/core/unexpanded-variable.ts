/**
 * Places for variables that whoever started us was meant to fill and did not: hosts expand `${NAME}` (some `${env:NAME}`) in their
 * configuration, and pass it on as it stands where the variable is not set or where they expand nothing.
 */

/** The first `${NAME}` or `${env:NAME}` in a text, as it stands there: no more than a name. Null when there is none. */
export function unexpandedVariable(text: string): string | null {
  return /\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*\}/.exec(text)?.[0] ?? null;
}
