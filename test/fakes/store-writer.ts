/**
 * A process that writes a store through the journal. Says `ready`; told `go`, it opens the store, writes one run of so many
 * steps, batch by batch, and says `written`; told `finish`, it closes, says what it lost, and ends.
 *
 * bun store-writer.ts PATH RUN_ID STEPS
 */

import { Journal } from "../../src/record/journal.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { SqliteStore, setCorruptStoreAside, storeIdentity } from "../../src/store/sqlite-store.ts";

const [path = "", runId = "", steps = "0"] = process.argv.slice(2);

function entry(type: string, seq: number, fields: object, payload: string | null = null): JournalEntry {
  return { head: { type, runId, seq, at: 1, ...fields }, payload } as unknown as JournalEntry;
}

const opened = entry("run.opened", 0, {
  tier: "standalone",
  cwd: "/w",
  owner: { pid: process.pid, startedAt: "b/1" },
  sessionId: null,
  host: null,
  wrappedServers: ["s"],
});

const tally = { lost: 0, refused: 0, troubles: [] as string[] };
const journal = new Journal({
  store: {
    open: () => SqliteStore.open(path),
    identity: () => storeIdentity(path),
    setCorruptAside: (identity) => setCorruptStoreAside(path, identity, Date.now()),
  },
  reopening: () => [opened],
  tellLoss: (_reason, lost) => {
    tally.lost += lost;
  },
  report: (trouble, episode) => tally.troubles.push(`${trouble.failure} ${episode}`),
});

async function flush(): Promise<void> {
  for (let again = journal.flush(); again !== null; again = journal.flush()) {
    if (again === 0) continue;
    tally.refused++;
    await Bun.sleep(again);
  }
}

const words = console[Symbol.asyncIterator]();

console.log("ready");
await words.next();
journal.add(opened);
for (let seq = 0; seq < Number(steps); seq++) {
  const stepId = `${runId}-${seq}`;
  const tool = { server: "s", tool: "t", qualifiedName: "mcp__s__t", callId: null, hostMeta: null };
  const when = { startedAt: 1, truncated: false, sources: ["proxy"], join: null, agentId: null };
  journal.add(entry("step.opened", seq, { stepId, ...tool, ...when }, JSON.stringify({ seq })));
  const outcome = { status: "ok", isError: false, error: null, rpcError: null, truncated: false, join: null };
  const counts = { durationMs: 1, waitingMs: 0, legs: 1, progress: 0 };
  journal.add(entry("step.closed", seq, { stepId, ...outcome, ...counts }, '{"content":[]}'));
  // Many small commits, so that processes meet.
  if (seq % 5 === 4) await flush();
}
await flush();
console.log("written");
await words.next();
tally.lost += journal.close();
console.log(JSON.stringify(tally));
process.exit();
