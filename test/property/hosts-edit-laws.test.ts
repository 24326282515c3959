import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ConfigDocument,
  type ConfigFormatId,
  type ConfigNode,
  type ConfigPath,
  ConfigSyntaxError,
  type TextEdit,
} from "../../src/hosts/edit/config-text.ts";
import { applyEdits, formatOf } from "../../src/hosts/edit/formats.ts";
import { key, looseJson, looseToml, looseYaml, object, type Pick, picks, value } from "./hosts-edit-arbitraries.ts";

/** Whatever a file looks like: a change is what was meant and nothing else, and taken back it was never there. */

type Writer = (of: Record<string, unknown>, pick: Pick) => string;

const FORMATS: [ConfigFormatId, Writer, number][] = [
  ["json", (of, pick) => looseJson(of, pick, { comments: false, trailingCommas: false }), 400],
  ["json-comments", (of, pick) => looseJson(of, pick, { comments: true, trailingCommas: false }), 400],
  ["jsonc", (of, pick) => looseJson(of, pick, { comments: true, trailingCommas: true }), 800],
  ["toml", looseToml, 400],
  ["yaml", looseYaml, 300],
];

interface Found {
  path: ConfigPath;
  node: ConfigNode;
}

function everything(node: ConfigNode, path: ConfigPath = []): Found[] {
  return [
    { path, node },
    ...node.members.flatMap((member) => everything(member.value, [...path, member.key])),
    ...node.elements.flatMap((element, at) => everything(element, [...path, at])),
  ];
}

/** The change made by hand in a copy. */
function changed(
  root: unknown,
  path: ConfigPath,
  change: (target: Record<string, unknown> & unknown[]) => void,
): unknown {
  const copy = structuredClone(root);
  change(path.reduce((at, step) => (at as never)[step], copy) as never);
  return copy;
}

const isPrefix = (path: ConfigPath, of: ConfigPath) => path.every((step, at) => of[at] === step);

/** Null where the format says that it cannot; counted, so that it does not become the rule. */
function attempt(make: () => TextEdit[]): TextEdit[] | null {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof ConfigSyntaxError) return null;
    throw cause;
  }
}

describe.each(FORMATS)("%s", (id, write, runs) => {
  const format = formatOf(id);
  let refused = 0;
  let done = 0;

  function parsed(of: Record<string, unknown>, pick: Pick): ConfigDocument {
    const document = format.parse(write(of, pick));
    expect(document.root.value).toStrictEqual(of);
    return document;
  }

  function edited(document: ConfigDocument, edits: TextEdit[]): ConfigDocument {
    const text = applyEdits(document.text, edits);
    try {
      return format.parse(text);
    } catch (cause) {
      throw new Error(`${JSON.stringify(document.text)} became ${JSON.stringify(text)}`, { cause });
    }
  }

  /** A TOML table that only headers of inner tables implied goes with the last of them. */
  function expectSame(there: unknown, expected: unknown): void {
    if (id === "toml") expect(withoutEmpty(there)).toEqual(withoutEmpty(expected));
    else expect(there).toEqual(expected);
  }

  function run(
    law: (document: ConfigDocument, pick: Pick, added: unknown, name: string) => TextEdit[] | null | undefined,
  ): void {
    refused = 0;
    done = 0;
    fc.assert(
      fc.property(object, picks, value, key, (of, pick, added, name) => {
        const edits = law(parsed(of, pick), pick, added, name);
        if (edits === null) refused++;
        else if (edits !== undefined) done++;
      }),
      { numRuns: runs },
    );
    expect(done).toBeGreaterThan(runs / 5);
    expect(refused / done).toBeLessThan(0.02);
  }

  test("a member put in is there, and taken out was never there", () => {
    run((document, pick, added, name) => {
      const objects = everything(document.root).filter(({ node }) => node.kind === "object");
      const { path, node } = pick(...objects) as Found;
      if (node.members.some((member) => member.key === name)) return undefined;
      const beside = pick(undefined, ...node.members.map((member) => member.key));
      const edits = attempt(() => format.insertMember(document, path, name, added, beside));
      if (edits === null) return null;
      if (id !== "yaml") expect(edits.every((edit) => edit.length === 0)).toBe(true);
      const there = edited(document, edits);
      expect(there.root.value).toEqual(
        changed(document.root.value, path, (target) => {
          Object.defineProperty(target, name, { value: added, enumerable: true, configurable: true, writable: true });
        }),
      );
      if (document.root.start === document.root.end && id !== "toml" && id !== "yaml") return edits;
      const back = edited(there, format.removeMember(there, [...path, name]));
      expect(back.text).toBe(document.text);
      return edits;
    });
  });

  test("elements put in are there, and taken out were never there", () => {
    run((document, pick, added) => {
      const arrays = everything(document.root).filter(({ node }) => node.kind === "array");
      if (arrays.length === 0) return undefined;
      const { path, node } = pick(...arrays) as Found;
      const index = pick(0, node.elements.length, Math.floor(node.elements.length / 2));
      const values = pick<unknown[]>([added], ["proxy", "--server-name", "x"], [added, "two"]);
      const edits = attempt(() => format.insertElements(document, path, index, values));
      // TOML's arrays of tables take no first table, and nothing but tables.
      if (edits === null) return id === "toml" && node.elements[0]?.kind === "object" ? undefined : null;
      const there = edited(document, edits);
      expect(there.root.value).toEqual(
        changed(document.root.value, path, (target) => target.splice(index, 0, ...values)),
      );
      const back = edited(there, format.removeElements(there, path, index, values.length));
      expect(back.text).toBe(document.text);
      return edits;
    });
  });

  test("a value in place of another is there, and the old text put back is the old file", () => {
    run((document, pick, added) => {
      const all = everything(document.root).filter(({ path }) => path.length > 0);
      if (all.length === 0) return undefined;
      const { path, node } = pick(...all) as Found;
      const isWhole = node.kind === "object" || node.kind === "array";
      const edits = attempt(() => format.replaceValue(document, path, added));
      // A table in pieces.
      if (edits === null) return isWhole ? undefined : null;
      const there = edited(document, edits);
      expect(there.root.value).toEqual(
        changed(document.root.value, path.slice(0, -1), (target) => {
          Object.defineProperty(target, path.at(-1) ?? "", {
            value: added,
            enumerable: true,
            configurable: true,
            writable: true,
          });
        }),
      );
      if (isWhole) return edits;
      const now = everything(there.root).find(
        (one) => one.path.length === path.length && isPrefix(one.path, path),
      )?.node;
      const raw = document.text.slice(node.start, node.end);
      const back = [{ offset: now?.start ?? 0, length: (now?.end ?? 0) - (now?.start ?? 0), text: raw }];
      expect(applyEdits(there.text, back)).toBe(document.text);
      return edits;
    });
  });

  test("a member taken out is gone, and nothing else", () => {
    run((document, pick) => {
      const all = everything(document.root).filter(({ path }) => typeof path.at(-1) === "string");
      if (all.length === 0) return undefined;
      const { path } = pick(...all) as Found;
      const edits = attempt(() => format.removeMember(document, path));
      if (edits === null) return null;
      const expected = changed(document.root.value, path.slice(0, -1), (target) => {
        delete target[path.at(-1) as never];
      });
      const there = edited(document, edits).root.value;
      expectSame(there, expected);
      return edits;
    });
  });

  test("elements taken out are gone, and nothing else", () => {
    run((document, pick) => {
      const arrays = everything(document.root).filter(({ node }) => node.elements.length > 0);
      if (arrays.length === 0) return undefined;
      const { path, node } = pick(...arrays) as Found;
      const index = pick(0, node.elements.length - 1);
      const count = pick(1, node.elements.length - index);
      const edits = attempt(() => format.removeElements(document, path, index, count));
      if (edits === null) return null;
      const expected = changed(document.root.value, path, (target) => target.splice(index, count));
      expectSame(edited(document, edits).root.value, expected);
      return edits;
    });
  });

  test("the text of each string is in its place, whole", () => {
    run((document) => {
      for (const { path, node } of everything(document.root)) {
        if (node.kind !== "string") continue;
        const text = applyEdits(document.text, [
          { offset: node.start, length: node.end - node.start, text: '"\u00e9"' },
        ]);
        const there = format.parse(text);
        expect(
          everything(there.root).find((one) => one.path.length === path.length && isPrefix(one.path, path))?.node.value,
        ).toBe("\u00e9");
      }
      return [];
    });
  });
});

/** Without tables that hold nothing, and what holds nothing but them. */
function withoutEmpty(of: unknown): unknown {
  if (typeof of !== "object" || of === null) return of;
  if (Array.isArray(of)) return of.map(withoutEmpty);
  const kept = Object.entries(of).map(([name, member]) => [name, withoutEmpty(member)] as const);
  return Object.fromEntries(kept.filter(([, member]) => !isEmpty(member)));
}

function isEmpty(of: unknown): boolean {
  return typeof of === "object" && of !== null && Object.keys(of).length === 0;
}
