import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HOSTS_PAGE } from "../../docs/generate.ts";
import { hostsPage } from "../../docs/hosts-page.ts";
import { HOSTS } from "../../src/hosts/hosts.ts";

test("the committed page of hosts is what the code makes", () => {
  expect(readFileSync(HOSTS_PAGE, "utf8"), "run: bun docs/generate.ts").toBe(hostsPage());
});

test("the page says of each host what it is, whether it was seen, and names nothing of this machine", () => {
  const page = hostsPage();
  for (const { name, id, verified, notes } of HOSTS) {
    expect(page).toContain(`\n## ${name}\n`);
    expect(page).toMatch(new RegExp(`\\| \`${id}\` +\\| ${verified ? "the application" : "its documentation"}`));
    for (const note of notes) expect(page).toContain(`- ${note}\n`);
  }
  expect(page).not.toContain(process.cwd());
  expect(page).not.toContain("undefined");
});
