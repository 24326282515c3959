/**
 * `bir proxy` from its sources with a bug put into one place: `bun faulty-proxy.ts PLACE PROXY-OPTIONS… -- CMD…`.
 * The bug shows on every message (or what is made of it) that holds the word "explode"; its error quotes a secret.
 */

import { CallTracker } from "../../../src/proxy/call-tracker.ts";
import { Handshake } from "../../../src/proxy/handshake.ts";
import { InFlight } from "../../../src/proxy/in-flight.ts";
import type { ObservedMessage } from "../../../src/proxy/observed-message.ts";
import { Assembler } from "../../../src/record/assembler.ts";
import { Journal } from "../../../src/record/journal.ts";
import { SqliteStore } from "../../../src/store/sqlite-store.ts";

const WORD = "explode";
const fault = () => new TypeError("cannot read what was in hunter2-hunter2");
const mentions = (value: unknown) => JSON.stringify(value).includes(WORD);

function breakMethod<Owner extends object>(owner: Owner, name: keyof Owner, when: (argument: never) => boolean): void {
  const sound = owner[name] as (argument: never) => unknown;
  owner[name] = function broken(this: Owner, argument: never) {
    if (when(argument)) throw fault();
    return sound.call(this, argument);
  } as Owner[keyof Owner];
}

const inText = ({ text }: ObservedMessage) => text.includes(WORD);

/** Where a bug can be. */
const PLACES: Record<string, () => void> = {
  none: () => {},
  "call-tracker": () => breakMethod(CallTracker.prototype, "see", inText),
  "in-flight": () => breakMethod(InFlight.prototype, "see", inText),
  handshake: () => breakMethod(Handshake.prototype, "see", inText),
  assembler: () => breakMethod(Assembler.prototype, "openCall", mentions),
  "journal-add": () => breakMethod(Journal.prototype, "add", mentions),
  "journal-flush": () => breakMethod(Journal.prototype, "flush", () => true),
  store: () => breakMethod(SqliteStore.prototype, "append", mentions),
  "closing-run": () => breakMethod(Assembler.prototype, "closeRun", () => true),
  "switch-check": () => {
    const { exists } = Object.getPrototypeOf(Bun.file("x")) as { exists(): Promise<boolean> };
    let looks = 0;
    Object.getPrototypeOf(Bun.file("x")).exists = function broken(this: Bun.BunFile) {
      // The looks at the start are those of `bir proxy` itself: off, and each directory from here to the root.
      if (++looks > process.cwd().split("/").length + 1) throw fault();
      return exists.call(this);
    };
  },
};

const [place = "", ...words] = process.argv.slice(2);
PLACES[place]?.();
process.argv.splice(2, Number.POSITIVE_INFINITY, "proxy", ...words);
await import("../../../src/main.ts");
