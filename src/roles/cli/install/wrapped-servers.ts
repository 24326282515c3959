import { visible } from "../../../core/text/visible.ts";
import { HOSTS } from "../../../hosts/hosts.ts";
import { Ledger, type LedgerRow, ledgerPath } from "../../../hosts/ledger.ts";
import type { Paint } from "../text/paint.ts";
import { statusLine } from "../text/status-line.ts";
import { SOME_HOST } from "./other-file.ts";

/** What install has put into hosts' settings, as `bir status` tells it: from the ledger alone, without a look at the files. */

export interface WrappedServers {
  /** The host's id. */
  host: string;
  name: string;
  servers: string[];
  /** Hooks are in its settings, for some directory or for everything. */
  hooks: boolean;
}

/** Throws a `Problem` where the ledger cannot be read. */
export function wrappedServers(home: string): WrappedServers[] {
  const rows = Ledger.read(ledgerPath(home)).rows.filter(({ state }) => state !== "undone");
  const ids = [...new Set(rows.flatMap(({ hosts }) => hosts))];
  const known = HOSTS.filter(({ id }) => ids.includes(id)).map(({ id, name }) => ({ id, name }));
  const others = ids
    .filter((id) => !known.some((host) => host.id === id))
    .map((id) => ({
      id,
      name: id === SOME_HOST.id ? SOME_HOST.name : id,
    }));
  return [...known, ...others].map(({ id, name }) => ({
    host: id,
    name,
    servers: namesIn(rows.filter(({ hosts }) => hosts.includes(id))),
    hooks: rows.some(({ kind, hosts }) => kind === "hooks" && hosts.includes(id)),
  }));
}

/** One line a host. */
export function wrappedLines(wrapped: readonly WrappedServers[], paint: Paint): string[] {
  if (wrapped.length === 0) return [statusLine("Wrapped", `nothing yet: ${paint.bold("bir install")}`)];
  return wrapped.map(({ name, servers, hooks }, index) => {
    const what = [servers.map(visible).join(", "), hooks ? "hooks" : ""].filter((part) => part !== "").join("; ");
    return statusLine(index === 0 ? "Wrapped" : "", `${visible(name)}: ${what}`);
  });
}

function namesIn(rows: readonly LedgerRow[]): string[] {
  return [...new Set(rows.filter(({ kind }) => kind !== "hooks").map(({ name }) => name))].sort();
}
