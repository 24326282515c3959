/** A program that opens files until it gets no more, then sends a request to each address it is given, and prints what became of them. */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { TestClient } from "./http/client.ts";

function outcome(address: string): Promise<string> {
  return new TestClient().send(new URL(address)).then(
    ({ status }) => `HTTP ${status}`,
    ({ message }: Error) => message,
  );
}

const addresses = process.argv.slice(2);
const files: number[] = [];
try {
  for (;;) files.push(openSync(devNull, "r"));
} catch {
  // That was the last one.
}
const scarce = await Promise.all(addresses.map(outcome));
for (const file of files) closeSync(file);
const plenty = await Promise.all(addresses.map(outcome));
process.stdout.write(JSON.stringify({ scarce, plenty }));
process.exit(0);
