/** Installs into one file and uninstalls from it again, on and on, until it is killed. Arguments: FILE BIR_HOME. */

import { applyTasks } from "../../src/hosts/plan/apply.ts";
import { planInstall } from "../../src/hosts/plan/plan-install.ts";
import { planUninstall } from "../../src/hosts/plan/plan-uninstall.ts";
import { hostOf, listOf, OPTIONS, target } from "../unit/hosts-entry-fixture.ts";

const [file = "", home = ""] = process.argv.slice(2);
const list = listOf("plain", "jsonc", ["mcpServers"], { file });

process.stdout.write("ready\n");
for (let round = 0; ; round++) {
  // Another executable each time, so that what is there is renewed too.
  const options = { ...OPTIONS, executableWords: [`/opt/bir/${round % 3}/bir`] as [string] };
  await applyTasks(planInstall([target(list, hostOf())], options), home);
  if (round % 2 === 1) {
    await applyTasks((rows) => planUninstall(rows, { hosts: null, servers: null, file: null }), home);
  }
}
