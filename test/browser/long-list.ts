/** A home with a long list: runs of the days before yesterday, then real sessions. */

import { join } from "node:path";
import { FilledStore } from "../harness/filled-store.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { recordSessions } from "./recordings.ts";

export const DAY_MS = 86_400_000;
/** On so many days. */
export const OLD_DAYS = 4;
const OLD_RUNS = 160;
/** Fills it. */
export async function fillLong(box: Sandbox): Promise<void> {
  await box.bir(["up"]);
  const store = new FilledStore(join(box.birHome, "recordings.db"));
  const today = new Date().setHours(12, 0, 0, 0);
  for (let n = 0; n < OLD_RUNS; n++) {
    const day = today - (2 + (n % OLD_DAYS)) * DAY_MS;
    store.add({ n, startedAt: day - 60_000 * Math.floor(n / OLD_DAYS), steps: n === 7 ? 60 : 2 });
  }
  store.close();
  await recordSessions(box);
}
