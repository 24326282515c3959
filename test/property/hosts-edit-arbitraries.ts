import fc from "fast-check";

/** Random configuration texts of every format, written as loosely as each allows. */

/** Chooses from what is allowed at a place; the same choices give the same text. */
export type Pick = <T>(...from: readonly T[]) => T;

export const picks: fc.Arbitrary<Pick> = fc.array(fc.nat(), { minLength: 30, maxLength: 120 }).map((numbers) => {
  let next = 0;
  const pick = <T>(...from: readonly T[]): T => from[(numbers[next++ % numbers.length] ?? 0) % from.length] as T;
  return Object.assign(pick, { toString: () => `picks(${numbers.length})` });
});

const word = fc.oneof(
  fc.constantFrom(
    "command",
    "args",
    "env",
    "url",
    "npx",
    "-y",
    "@scope/pkg",
    "C:\\x\\y",
    "a b",
    "a.b",
    "it's",
    "",
    "#no",
    "// no",
  ),
  fc.constantFrom(
    "true",
    "null",
    "12",
    "[x]",
    "{y}",
    "a: b",
    "\u00e9\u4e16\ud83d\ude00",
    "tab\there",
    'q"q',
    "line\nbreak",
    "~",
    "-",
    ",",
  ),
  fc.string({ maxLength: 6, unit: "grapheme-ascii" }),
);
const scalar = fc.oneof(word, word, fc.integer(), fc.boolean());
export const key = fc.oneof(
  fc.constantFrom("a", "b", "mcp_servers", "my server", "x.y", "env", "command", "1", "true", "__proto__", "k#", ""),
  fc.string({ maxLength: 4, unit: "grapheme-ascii" }),
);

/** No null: TOML has none. */
export const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const anything = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
const server = fc.record(
  {
    command: word,
    args: fc.array(word, { maxLength: 3 }),
    env: fc.dictionary(key, word, { maxKeys: 2, noNullPrototype: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const servers = fc.dictionary(key, server, { maxKeys: 3, noNullPrototype: true });

/** What a file holds: anything, or what the files of hosts hold. */
export const object: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  anything,
  fc.record({ before: word, mcp_servers: servers, after: anything }, { requiredKeys: [], noNullPrototype: true }),
  fc.record(
    { list: fc.array(server, { maxLength: 3 }), mcp_servers: servers },
    { requiredKeys: [], noNullPrototype: true },
  ),
);

export interface JsonDialectChoice {
  comments: boolean;
  trailingCommas: boolean;
}

/** White space, comments and trailing commas wherever they are allowed; or tidy, as editors and programs write. */
export function looseJson(of: unknown, pick: Pick, dialect: JsonDialectChoice): string {
  const eol = pick("\n", "\n", "\r\n");
  const unit = pick("  ", "    ", "\t", "");
  const isTidy = pick(true, false);
  const arraysOpen = pick(true, false);
  const objectsOpen = pick(true, true, false);
  const colon = pick(": ", ": ", ":");

  function gap(indent: string): string {
    const comment = dialect.comments
      ? pick("", "", "/* c */", `// c${eol}`, `/* long${eol} c */`, ` // c ${eol}${eol}${indent}// d${eol}${indent}`)
      : "";
    return pick("", "", " ", "\t ", eol, eol + indent, `  ${eol}${eol}${indent}`, comment, comment);
  }

  function write(one: unknown, indent: string): string {
    if (typeof one !== "object" || one === null) return JSON.stringify(one);
    const isArray = Array.isArray(one);
    const isOpen = isArray ? arraysOpen : objectsOpen;
    const inner = isOpen ? indent + unit : indent;
    const items = isArray
      ? one.map((element) => write(element, inner))
      : Object.entries(one).map(
          ([name, member]) => JSON.stringify(name) + between("") + colon + between("") + write(member, inner),
        );
    const [left, right] = isArray ? ["[", "]"] : ["{", "}"];
    if (items.length === 0) return left + (isTidy ? pick("", "", " ", eol + indent) : gap(inner)) + right;
    const trailing = dialect.trailingCommas && pick(true, false) ? "," : "";
    if (isTidy) {
      const behind = () => (dialect.comments && isOpen ? pick("", "", " // keep", " /* keep */") : "");
      const above = () => (dialect.comments && isOpen ? pick("", "", "", `${eol}${inner}// about`) : "");
      const start = isOpen ? eol + inner : pick("", " ");
      const end = isOpen ? eol + indent : start;
      const between = isOpen ? eol + inner : pick(" ", "");
      return (
        left +
        items
          .map((item, at) => {
            const isLast = at === items.length - 1;
            const comma = isLast ? trailing : ",";
            return `${above()}${at === 0 ? start : between}${item}${comma}${behind()}`;
          })
          .join("") +
        end +
        right
      );
    }
    return (
      left +
      items.map((item, at) => `${gap(inner)}${item}${gap(inner)}${at === items.length - 1 ? trailing : ","}`).join("") +
      gap(inner) +
      right
    );
  }

  function between(indent: string): string {
    return isTidy ? "" : gap(indent);
  }

  const body = write(of, "");
  return isTidy ? body + pick("", eol) : gap("") + body + gap("") + pick("", eol);
}

const TOML_BARE = /^[A-Za-z0-9_-]+$/;

/** Headers, dotted keys, inline tables, arrays over lines, arrays of tables, comments. */
export function looseToml(of: Record<string, unknown>, pick: Pick): string {
  const eol = pick("\n", "\n", "\r\n");
  const lines: string[] = [];
  const isIndented = pick(false, false, true);

  const nameOf = (name: string) =>
    TOML_BARE.test(name) ? pick(name, name, JSON.stringify(name), `'${name}'`) : JSON.stringify(name);
  const behind = () => pick("", "", "", " # keep", "  ");

  function inline(one: unknown): string {
    if (typeof one === "string") {
      const literal = /^[^'\n\r\t]*$/.test(one) && pick(true, false);
      return literal ? `'${one}'` : JSON.stringify(one);
    }
    if (Array.isArray(one)) {
      const open = pick(false, true);
      const items = one.map(inline);
      if (!open)
        return `[${pick("", " ")}${items.join(pick(", ", ",", " , "))}${items.length > 0 ? pick("", " ", ",") : ""}]`;
      return `[${pick("", " # c")}${eol}${items.map((item, at) => `  ${pick("", `# about${eol}  `)}${item}${at < items.length - 1 || pick(true, false) ? "," : ""}${pick("", " # keep")}${eol}`).join("")}${pick("", `  # end${eol}`)}]`;
    }
    if (typeof one === "object" && one !== null) {
      const pairs = Object.entries(one).map(([name, member]) => `${nameOf(name)}${pick(" = ", "=")}${inline(member)}`);
      const pad = pick(" ", "");
      return `{${pad}${pairs.join(pick(", ", ","))}${pairs.length > 0 ? pad : ""}}`;
    }
    return String(one);
  }

  function isTable(one: unknown): one is Record<string, unknown> {
    return typeof one === "object" && one !== null && !Array.isArray(one);
  }

  function table(one: Record<string, unknown>, path: string[], indent: string): void {
    const later: [string, Record<string, unknown> | Record<string, unknown>[]][] = [];
    for (const [name, member] of Object.entries(one)) {
      if (isTable(member) && pick(true, true, false)) later.push([name, member]);
      else if (Array.isArray(member) && member.length > 0 && member.every(isTable) && pick(true, false))
        later.push([name, member]);
      else if (isTable(member) && Object.keys(member).length > 0 && pick(true, false)) {
        const prefix = nameOf(name);
        for (const [inner, leaf] of Object.entries(member))
          lines.push(`${indent}${prefix}${pick(".", " . ")}${nameOf(inner)} = ${inline(leaf)}${behind()}`);
      } else lines.push(`${indent}${nameOf(name)}${pick(" = ", "=", "  =  ")}${inline(member)}${behind()}`);
      if (pick(false, false, true)) lines.push(pick("", `${indent}# own line`, "  "));
    }
    for (const [name, member] of later) {
      const inner = [...path, nameOf(name)];
      const deeper = isIndented ? `${indent}  ` : indent;
      if (Array.isArray(member)) {
        for (const element of member) {
          header(`[[${inner.join(".")}]]`, deeper);
          table(element, inner, deeper);
        }
        continue;
      }
      const onlyTables = Object.values(member).length > 0 && Object.values(member).every(isTable);
      if (onlyTables && pick(true, false)) {
        for (const [innerName, innerMember] of Object.entries(member as Record<string, Record<string, unknown>>)) {
          header(`[${[...inner, nameOf(innerName)].join(".")}]`, deeper);
          table(innerMember, [...inner, nameOf(innerName)], deeper);
        }
      } else {
        header(`[${inner.join(pick(".", " . "))}]`, deeper);
        table(member, inner, deeper);
      }
    }
  }

  function header(text: string, indent: string): void {
    lines.push(
      ...pick<string[]>([""], [""], [], ["", "# about the next"], ["# about the next"]),
      indent + text + behind(),
    );
  }

  if (pick(false, false, true)) lines.push("# at the top", ...pick<string[]>([], [""]));
  table(of, [], "");
  lines.push(...pick<string[]>([], [], [""], ["# at the end"], ["", "# at the end"]));
  return lines.join(eol) + pick("", eol, eol);
}

/** Lines and brackets, every kind of quotes, block scalars, lists at either indentation, comments. */
export function looseYaml(of: Record<string, unknown>, pick: Pick): string {
  const eol = pick("\n", "\n", "\r\n");
  const unit = pick(2, 2, 4, 3);
  const dash = pick(0, 2, unit);
  const behind = () => pick("", "", "", " # keep", "  ");

  function text(one: string, isKey: boolean): string {
    const styles = [JSON.stringify(one)];
    if (/^[ -~]*$/.test(one) && !/^ | $/.test(one)) styles.push(`'${one.replaceAll("'", "''")}'`);
    if (/^[a-zA-Z][a-zA-Z ]*[a-zA-Z]$/.test(one) && !/^(true|false|null)$/.test(one)) styles.push(one, one);
    return isKey && one.length > 50 ? (styles[0] ?? "") : pick(...styles);
  }

  function flow(one: unknown): string {
    if (typeof one === "string") return text(one, false);
    if (Array.isArray(one))
      return `[${pick("", " ")}${one.map(flow).join(", ")}${one.length > 0 ? pick("", " ", ",") : ""}]`;
    if (typeof one !== "object" || one === null) return String(one);
    return `{${Object.entries(one)
      .map(([name, member]) => `${pick("", " ")}${text(name, true)}: ${flow(member)}`)
      .join(",")}${pick("", " ")}}`;
  }

  function isFilled(one: unknown): one is object {
    return typeof one === "object" && one !== null && Object.keys(one).length > 0;
  }

  /** What looks like a comment there would be text of it. */
  let isBehindBlockScalar = false;

  function pairs(one: object, indent: string): string[] {
    return Object.entries(one).flatMap(([name, member]) => {
      const own = `${indent}${text(name, true)}:`;
      const comment = pick<string[]>(
        [],
        [],
        [],
        [`${indent}# about`],
        [""],
        isBehindBlockScalar ? [] : [`${indent}   # deeper`],
      );
      if (!isFilled(member) || pick(false, false, true)) {
        if (typeof member === "string" && /^[a-z]+$/.test(member) && pick(false, true)) {
          isBehindBlockScalar = true;
          return [...comment, `${own} ${pick("|-", ">-")}`, `${indent}  ${member}`, ...pick<string[]>([], [""])];
        }
        isBehindBlockScalar = false;
        if (member === null) return [...comment, own + pick("", " null", " ~") + behind()];
        return [...comment, `${own} ${flow(member)}${behind()}`];
      }
      if (Array.isArray(member)) return [...comment, own + behind(), ...items(member, indent + " ".repeat(dash))];
      return [...comment, own + behind(), ...pairs(member, indent + " ".repeat(unit))];
    });
  }

  function items(list: readonly unknown[], indent: string): string[] {
    return list.flatMap((one) => {
      const comment = pick<string[]>(
        [],
        [],
        [],
        [`${indent}# about`],
        isBehindBlockScalar ? [] : [`${indent}  # deeper`],
      );
      if (!isFilled(one) || pick(false, true)) {
        isBehindBlockScalar = false;
        return [...comment, `${indent}- ${flow(one)}${behind()}`];
      }
      const inner = `${indent}  `;
      const [first = "", ...rest] = Array.isArray(one) ? items(one, inner) : pairs(one, inner);
      return /^\s*(#|$)/.test(first)
        ? [...comment, `${indent}-`, first, ...rest]
        : [...comment, `${indent}- ${first.slice(inner.length)}`, ...rest];
    });
  }

  const top = pick<string[]>([], [], ["# at the top"], ["---"], ["# c", "", "---"]);
  const body = isFilled(of) ? pairs(of, "") : pick<string[]>([], [], ["# nothing"], ["{}"]);
  const lines = [...top, ...body, ...pick<string[]>([], [], [""], ["# at the end"])];
  return lines.length === 0 ? "" : lines.join(eol) + pick("", eol, eol);
}
