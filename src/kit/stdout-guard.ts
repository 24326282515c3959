/**
 * Keeps stdout clean, from the first import on: whatever is printed by accident, here or in a library, goes to stderr.
 * What may reach stdout goes through `output.ts` or, in the proxy, through the host's side of the wire; a test holds
 * every source file to that. `process.stdout` is left alone: as much as naming it costs milliseconds and 5 MiB.
 */

function toStderr(...values: unknown[]): void {
  const text = values.map((value) => (typeof value === "string" ? value : Bun.inspect(value))).join(" ");
  Bun.write(Bun.stderr, `${text}\n`).catch(() => {});
}

globalThis.console = new Proxy({} as Console, { get: () => toStderr });

export {};
