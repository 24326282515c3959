import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENVIRONMENT_PAGE, environmentPage } from "../../docs/generate.ts";
import { ENV_VARIABLES } from "../../src/kit/env.ts";

test("the committed page of environment variables is what the table in the code makes", () => {
  expect(readFileSync(ENVIRONMENT_PAGE, "utf8"), "run: bun docs/generate.ts").toBe(environmentPage());
});

test("the page names every variable, and breaks no table", () => {
  const page = environmentPage([{ name: "BIR_X", value: "a|b", default: "c", meaning: "either | or" }]);
  expect(page).toContain("| `BIR_X`  | `a\\|b` | `c`     | either \\| or |");
  for (const { name } of ENV_VARIABLES) expect(environmentPage()).toContain(`| \`${name}\` `);
});
