import type { HostReason, ScopedList } from "../../../hosts/claude-code/scopes.ts";
import type { Left } from "../../../hosts/entry/left.ts";
import { left, leftReason, yieldsToName } from "../../../hosts/entry/left.ts";
import type { ServerEntry } from "../../../hosts/entry/server-entry.ts";
import type { Host, ServerList } from "../../../hosts/host.ts";
import type { Outcome } from "../../../hosts/plan/outcome.ts";
import { identify } from "./place.ts";
import type { Reader } from "./readers.ts";

/** The rules of hosts as plans ask for them, and the sentences that rules gave, for those who tell of it afterwards. */
export class Reasons {
  readonly #rules = new Map<string, { host: Host; list: ScopedList }[]>();
  readonly #told = new Map<string, string>();

  constructor(readers: readonly Reader[]) {
    for (const { host, lists } of readers) {
      for (const list of lists) {
        const key = listKey(list.list);
        this.#rules.set(key, [...(this.#rules.get(key) ?? []), { host, list }]);
      }
    }
  }

  /** Why an entry is left, by the rules of the hosts that read it: one that says no is enough. */
  veto(entry: ServerEntry, hosts: readonly Host[], wrapped: readonly string[]): Left | null {
    const rules = this.#rules.get(listKey(entry.list)) ?? [];
    // Changed nowhere but in copies, which have their own say.
    if (rules.some(({ list }) => list.shadowIn !== null)) return left("shared-file");
    for (const { host, list } of rules) {
      const reason = hosts.includes(host) ? list.leave(entry, wrapped) : null;
      if (reason !== null) return left(this.#note(entry.list, entry.name, reason).code);
    }
    return null;
  }

  /** The list with its rules, whose sentences are kept. */
  listening(scoped: ScopedList): ScopedList {
    return {
      ...scoped,
      leave: (entry, wrapped) => {
        const reason = scoped.leave(entry, wrapped);
        return reason === null ? null : this.#note(scoped.list, entry.name, reason);
      },
    };
  }

  /** Why a server is left, in words; null where it is not. */
  of(outcome: Outcome): string | null {
    const { why, file, scope, directory, server } = outcome;
    if (why === null) return null;
    const told = this.#told.get(JSON.stringify([file, scope, directory, server, why])) ?? leftReason(why);
    return yieldsToName(why) ? `${told} (\`--server ${server}\` wraps it all the same)` : told;
  }

  #note({ file, scope, directory }: ServerList, name: string, reason: HostReason): HostReason {
    this.#told.set(JSON.stringify([file, scope, directory, name, reason.code]), reason.why);
    return reason;
  }
}

function listKey({ file, path }: ServerList): string {
  return JSON.stringify([identify(file), path]);
}
