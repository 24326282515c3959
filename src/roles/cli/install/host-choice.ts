import { EXIT } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import type { Host } from "../../../hosts/host.ts";
import { HOSTS } from "../../../hosts/hosts.ts";
import type { Proposal } from "../args.ts";
import { closest } from "../text/closest.ts";

/** Hosts as a person names them on the command line. */

/** The hosts of these names, in the order of the list of hosts; all where none is named. Throws a `Problem` for an unknown one. */
export function namedHosts(names: readonly string[] | undefined): readonly Host[] {
  if (names === undefined || names.length === 0) return HOSTS;
  const wanted = names.map(hostNamed);
  return HOSTS.filter((host) => wanted.includes(host));
}

function hostNamed(typed: string): Host {
  const name = typed.trim().toLowerCase();
  const found = HOSTS.find((host) => host.id === name || host.name.toLowerCase() === name);
  if (found !== undefined) return found;
  const ids = HOSTS.map(({ id }) => id);
  const near = ids.find((id) => letters(id) === closest(letters(name), ids.map(letters))) ?? null;
  const hint = near === null ? `It knows ${ids.join(", ")}.` : `Did you mean ${near}?`;
  throw new Problem("unknown-host", `bir knows no host ${JSON.stringify(typed)}`, hint, EXIT.usage);
}

/** Where people put hyphens is of no account. */
function letters(text: string): string {
  return text.replaceAll(/[^a-z0-9]/g, "");
}

export async function hostProposals(): Promise<Proposal[]> {
  return HOSTS.map(({ id, name }) => ({ word: id, brief: name }));
}
