/**
 * A host that keeps changing its own keys of a JSON file that others write too: reads it, counts up, writes the whole file
 * anew. Takes turns with its likes by a lock that nobody else knows. Arguments: FILE NAME rename|truncate LOCK. Ends when its
 * stdin does, and says on stdout what it has seen.
 */

import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { FileLock } from "../../src/kit/file-lock.ts";

const [file = "", name = "", mode = "rename", lockPath = ""] = process.argv.slice(2);
let ended = false;
process.stdin.resume().on("end", () => {
  ended = true;
});

let count = 0;
const seen = { writes: 0, lostKeys: 0, lostUpdates: 0, unreadable: 0 };

function write(text: string): void {
  if (mode === "rename") {
    writeFileSync(`${file}.${name}`, text);
    renameSync(`${file}.${name}`, file);
    return;
  }
  // In pieces: others see an empty file, and half a file.
  const fd = openSync(file, "w");
  const half = Math.floor(text.length / 2);
  writeSync(fd, text.slice(0, half));
  writeSync(fd, text.slice(half));
  closeSync(fd);
}

function turn(): void {
  let value: { counters: Record<string, number>; own: Record<string, unknown> };
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Nobody that takes the lock leaves it so.
    seen.unreadable++;
    return;
  }
  if (!(name in value.counters)) seen.lostKeys++;
  else if (value.counters[name] !== count) seen.lostUpdates++;
  value.counters[name] = ++count;
  value.own[name] = { at: count, list: [count, name] };
  write(`${JSON.stringify(value, null, 2)}\n`);
  seen.writes++;
}

process.stdout.write("ready\n");
while (!ended) {
  const lock = FileLock.take(lockPath);
  if (lock !== null) {
    turn();
    lock.release();
  }
  await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40));
}
process.stdout.write(`${JSON.stringify({ ...seen, count })}\n`);
