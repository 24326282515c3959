/**
 * A process whose run grows: `bun growing-run.ts PATH N RATE TOTAL` makes run number N in the store at PATH, says its id, and, once
 * it was told `go`, adds RATE calls a second, ten times a second, until there are TOTAL; then closes it and says `done`.
 */

import { FilledStore } from "../harness/filled-store.ts";

const [path = "", n = "1", rate = "10", total = "100"] = process.argv.slice(2);
const TICK_MS = 100;

const store = new FilledStore(path);
const run = store.open(Number(n), Date.now(), "A task that takes its time");
store.commit();
console.log(run.id);
const words = console[Symbol.asyncIterator]();
await words.next();

let steps = 0;
const begun = performance.now();
while (steps < Number(total)) {
  const due = Math.min(Number(total), Math.ceil(((performance.now() - begun) / 1000) * Number(rate)));
  for (; steps < due; steps++) store.step(run, Date.now(), steps);
  store.commit();
  await Bun.sleep(TICK_MS);
}
run.close("completed", Date.now());
store.close();
console.log("done");
process.exit();
