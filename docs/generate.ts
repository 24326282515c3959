import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENV_VARIABLES, type EnvVariable } from "../src/kit/env.ts";
import { openApiText } from "../src/service/open-api-text.ts";
import { hostsPage } from "./hosts-page.ts";
import { table } from "./table.ts";

/**
 * Makes the pages that say what tables in the code say: `bun docs/generate.ts`. A test fails while one is not what this
 * would write.
 */

export const ENVIRONMENT_PAGE = join(import.meta.dirname, "environment.md");
export const HOSTS_PAGE = join(import.meta.dirname, "hosts.md");
/** What the local service answers, as it tells programs itself at `/openapi.json`. */
export const OPEN_API_DOCUMENT = join(import.meta.dirname, "openapi.json");

/** The reference page of environment variables. */
export function environmentPage(variables: readonly EnvVariable[] = ENV_VARIABLES): string {
  const rows = variables.map(({ name, value, default: fallback, meaning }) => [
    `\`${name}\``,
    `\`${value}\``,
    fallback === null ? "" : `\`${fallback}\``,
    meaning,
  ]);
  return `<!-- Made by \`bun docs/generate.ts\` from src/kit/env.ts: change it there. -->

# Environment variables

What \`bir\` reads from its environment. None of them reaches a server that \`bir proxy\` starts. A switch that reads
\`1\` is off when it is unset, empty or \`0\`.

${table(["variable", "value", "default", "meaning"], rows)}

\`NO_COLOR\` (any value) and \`TERM=dumb\` keep colours out of what is printed. The runtime inside the executable obeys
\`BUN_OPTIONS\` and \`BUN_BE_BUN\` whatever \`bir\` does; \`bir doctor\` warns where one of them is set.
`;
}

if (import.meta.main) {
  writeFileSync(ENVIRONMENT_PAGE, environmentPage());
  writeFileSync(HOSTS_PAGE, hostsPage());
  writeFileSync(OPEN_API_DOCUMENT, openApiText());
}
