/** Whoever follows live has the same runs as the store, whatever happened in whatever order, also after having been away. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Archive } from "../../src/service/archive/archive.ts";
import { IndexKeeper } from "../../src/service/archive/index-keeper.ts";
import { ChangeFeed } from "../../src/service/live/change-feed.ts";
import type { Changes } from "../../src/service/live/hub.ts";
import { deleteRuns } from "../../src/store/delete-runs.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { RunWriter, record, T0, TestCli } from "../unit/cli-fixture.ts";
import { KeptLog } from "../unit/control-fixture.ts";

type Step =
  | { kind: "record"; run: number }
  | { kind: "delete"; run: number }
  | { kind: "look" }
  | { kind: "away" }
  | { kind: "back" };

const run = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: run.map((one) => ({ kind: "record" as const, run: one })) },
  { weight: 2, arbitrary: run.map((one) => ({ kind: "delete" as const, run: one })) },
  { weight: 3, arbitrary: fc.constant({ kind: "look" as const }) },
  fc.constant({ kind: "away" as const }),
  fc.constant({ kind: "back" as const }),
);

/** What a page knows: the calls of each run. It reads the list once, and from then on only what it is told. */
class Follower {
  readonly runs = new Map<string, number>();
  position = 0;
  isAway = false;

  take(changes: Changes | null, items: (ids: readonly string[]) => { id: string; stepCount: number }[]): void {
    if (changes === null || this.isAway) return;
    for (const id of changes.removed) this.runs.delete(id);
    for (const { id, stepCount } of items(changes.changed)) this.runs.set(id, stepCount);
    this.position = changes.position;
  }
}

function inStore(home: string): [string, number][] {
  const reader = StoreReader.open(join(home, "recordings.db"));
  try {
    return Array.from(reader.runs(), ({ id, stepCount }): [string, number] => [id, stepCount]).sort();
  } finally {
    reader.close();
  }
}

test("following live", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const { home } = new TestCli();
      const archive = new Archive(home, new IndexKeeper(home, new KeptLog()));
      const feed = new ChangeFeed(archive, { has: () => false });
      const items = (ids: readonly string[]) => feed.items(ids);
      const follower = new Follower();
      const calls = new Map<string, number>();
      const look = () => {
        for (let changes = feed.changes(); ; changes = feed.changes()) {
          follower.take(changes, items);
          if (!changes?.more) return;
        }
      };
      try {
        look();
        follower.position = feed.position();
        for (const { kind, ...more } of [...steps, { kind: "back" as const }, { kind: "look" as const }]) {
          const id = `run_${(more as { run?: number }).run ?? ""}`;
          if (kind === "record") {
            const count = (calls.get(id) ?? 0) + 1;
            calls.set(id, count);
            const writer = new RunWriter(id, T0);
            for (let i = 0; i < count; i++) writer.call("echo", "{}", "{}", 1);
            // Written anew each time: what was there already changes nothing.
            record(home, writer);
          } else if (kind === "delete") {
            calls.delete(id);
            deleteRuns(join(home, "recordings.db"), [id]);
          } else if (kind === "away") follower.isAway = true;
          else if (kind === "look") look();
          else if (follower.isAway) {
            let since = follower.position;
            look();
            follower.isAway = false;
            for (let more = true; more; ) {
              const part = feed.changesSince(since);
              follower.take(part, items);
              since = part.position;
              ({ more } = part);
            }
          }
        }
        expect([...follower.runs].sort()).toEqual(inStore(home));
      } finally {
        archive.close();
        rmSync(home, { recursive: true, force: true });
      }
    }),
    { numRuns: 60 },
  );
});
