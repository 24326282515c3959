import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConfigFormatId } from "../../src/hosts/edit/config-text.ts";
import { applyEdits, formatOf } from "../../src/hosts/edit/formats.ts";
import { readEntries } from "../../src/hosts/entry/server-entry.ts";
import type { LedgerRow } from "../../src/hosts/ledger.ts";
import type { FilePlan } from "../../src/hosts/plan/outcome.ts";
import { EXECUTABLE, hostOf, install, listOf, parse, target, uninstall } from "../unit/hosts-entry-fixture.ts";
import { type Sample, sample } from "./hosts-documents.ts";

/** Whatever a person's file looks like: what install does to it, uninstall takes back. */

const RUNS = { numRuns: Number(process.env.BIR_PROPERTY_RUNS ?? 100) };
const HOST = hostOf("example", { restartsServers: false, passesVariables: { listKey: "env_vars" } });

const order = fc.record({
  birHome: fc.constantFrom(null, "/home/p/other home"),
  named: fc.boolean(),
  words: fc.constantFrom<[string, ...string[]]>(
    [EXECUTABLE],
    ["C:\\Users\\p\\bir.exe"],
    ["/usr/bin/bun", "/src/main.ts"],
  ),
});
type Order = typeof order extends fc.Arbitrary<infer T> ? T : never;

function listFor({ shape, format, path }: Sample) {
  return listOf(shape, format, path);
}

function installAll(
  one: Sample,
  text: string,
  { birHome, named, words }: Order,
  rows: readonly LedgerRow[] = [],
): FilePlan {
  const options = { birHome, executableWords: words, servers: named ? one.names : null };
  return install(text, [target(listFor(one), HOST)], options, rows);
}

/** A sample has to be a file that the format takes at all. */
function isWhole(one: Sample): boolean {
  try {
    parse(one.format, one.text);
    return true;
  } catch {
    return false;
  }
}

const whole = sample.filter(isWhole);

function took(plan: FilePlan): string {
  if (plan.after === null) throw new Error("the file is gone");
  return plan.after;
}

function valueIn(format: ConfigFormatId, text: string): unknown {
  return formatOf(format).parse(text).root.value;
}

describe("wrapping and unwrapping", () => {
  test("most samples are whole files, and servers are wrapped in most", () => {
    const all = fc.sample(sample, 300).filter((one) => one.names.length > 0);
    const good = all.filter(isWhole);
    expect(good.length).toBeGreaterThan(all.length * 0.8);
    const wrapped = good.filter(
      (one) => installAll(one, one.text, { birHome: null, named: true, words: [EXECUTABLE] }).rows.length > 0,
    );
    expect(wrapped.length).toBeGreaterThan(good.length * 0.5);
  });

  test("is the identity, byte for byte", () => {
    fc.assert(
      fc.property(whole, order, (one, how) => {
        const plan = installAll(one, one.text, how);
        if (plan.rows.length === 0) expect(plan.after).toBe(one.text);
        else expect(uninstall(took(plan), plan.rows).after).toBe(one.text);
      }),
      RUNS,
    );
  });

  test("three times in a row is as once", () => {
    fc.assert(
      fc.property(whole, order, (one, how) => {
        const first = installAll(one, one.text, how);
        const second = installAll(one, took(first), how, first.rows);
        const third = installAll(one, took(second), how, second.rows.length > 0 ? second.rows : first.rows);
        expect(second.after).toBe(first.after);
        expect(third.after).toBe(first.after);
        expect(new Set(third.outcomes.map((o) => o.what))).not.toContain("wrapped");
      }),
      RUNS,
    );
  });

  test("install for another executable, then uninstall, gives the first text", () => {
    fc.assert(
      fc.property(whole, order, order, (one, how, later) => {
        const first = installAll(one, one.text, { ...how, named: true });
        const second = installAll(one, took(first), { ...later, named: true }, first.rows);
        const rows = [...first.rows, ...second.rows];
        if (rows.length > 0) expect(uninstall(took(second), rows).after).toBe(one.text);
      }),
      RUNS,
    );
  });

  test("every wrapped entry runs bir, and nothing else in the file reads differently", () => {
    fc.assert(
      fc.property(whole, order, (one, how) => {
        const plan = installAll(one, one.text, how);
        const before = readEntries(listFor(one), parse(one.format, one.text), [how.words]);
        const after = readEntries(listFor(one), parse(one.format, took(plan)), [how.words]);
        expect(after.map((entry) => entry.name)).toEqual(before.map((entry) => entry.name));
        for (const [index, entry] of after.entries()) {
          const was = plan.outcomes.find((outcome) => outcome.server === entry.name)?.what;
          if (was === "wrapped") expect(entry.isOurs).toBe(true);
          else expect(entry.node.value).toEqual(before[index]?.node.value);
        }
      }),
      RUNS,
    );
  });

  test("the rows hold no value of an entry", () => {
    fc.assert(
      fc.property(whole, order, fc.stringMatching(/^[a-z]{12}$/), (one, how, mark) => {
        // Every value gets a mark that can be found again.
        const marked = one.text.replace(/("(?:TOKEN|A_B|PATH|Authorization|X-Api-Key|Accept)"\s*:\s*")/g, `$1${mark}`);
        if (!isWhole({ ...one, text: marked })) return;
        const { rows } = installAll(one, marked, how);
        expect(JSON.stringify(rows)).not.toContain(mark);
      }),
      RUNS,
    );
  });
});

describe("with other people's changes in between", () => {
  /** What a person may do to the file while servers are wrapped. */
  const change = fc.constantFrom("env", "new-server", "remove-server", "other-key", "new-key-in-entry", "comment");
  type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

  /** The change made in a text, on the first of the servers named. */
  function changed(one: Sample, text: string, what: Change, servers: readonly string[]): string {
    const format = formatOf(one.format);
    const document = format.parse(text);
    const list = listFor(one);
    const entry = readEntries(list, document).find((found) => servers.includes(found.name));
    if (what === "comment") {
      if (one.format === "json") return text;
      if (one.format !== "jsonc") return `# by hand\n${text}`;
      const at = (entry?.node.start ?? document.root.start) + 1;
      return `${text.slice(0, at)}/* by hand */${text.slice(at)}`;
    }
    const edits = () => {
      if (what === "other-key") return format.insertMember(document, [], "added", { by: "hand" });
      if (entry === undefined) return [];
      if (what === "env") return format.insertMember(document, [...entry.path, list.shape.env], "MINE", "1");
      if (what === "new-key-in-entry") return format.insertMember(document, entry.path, "mine", true);
      if (list.shape.names !== "keys") return [];
      if (what === "remove-server") return format.removeMember(document, entry.path);
      return format.insertMember(document, list.path, "a new one", { command: "x" });
    };
    try {
      return applyEdits(text, edits());
    } catch {
      // It is there already.
      return text;
    }
  }

  test("what they did is kept, and what was theirs is given back", () => {
    fc.assert(
      fc.property(whole, order, fc.array(change, { minLength: 1, maxLength: 3 }), (one, how, changes) => {
        const plan = installAll(one, one.text, { ...how, words: [EXECUTABLE] });
        if (plan.rows.length === 0) return;
        const servers = plan.outcomes.filter(({ what }) => what === "wrapped").map(({ server }) => server);
        const make = (text: string) => changes.reduce((now, what) => changed(one, now, what, servers), text);
        const back = uninstall(make(took(plan)), plan.rows);
        expect(back.outcomes.map(({ what }) => what)).not.toContain("conflict");
        expect(valueIn(one.format, took(back))).toEqual(valueIn(one.format, make(one.text)));
        const notes = (text: string) => text.split("by hand").length;
        // One inside an entry may go with the entry only.
        if (!changes.includes("remove-server")) expect(notes(took(back))).toBe(notes(make(one.text)));
      }),
      RUNS,
    );
  });
});
