/** The way on which ids of ours are taken out of calls changes nothing else, however the bytes come in. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IdGate } from "../../src/proxy/injection/id-gate.ts";

const ID = "__bir_call_id__";
const space = fc.constantFrom("", "", " ", "\t", "\r", "  ");

/** A member of an object as written, and whether it is ours. */
interface Member {
  text: string;
  isOurs: boolean;
}

const ours = fc
  .tuple(fc.constantFrom(`"${ID}"`, String.raw`"\u005f_bir_call_id__"`), space, space, fc.json())
  .map(([key, a, b, value]) => ({ text: `${key}${a}:${b}${value}`, isOurs: true }));
const other = fc
  .tuple(
    fc.string().filter((key) => key !== ID),
    space,
    fc.oneof(fc.json(), fc.constantFrom("1.0", "1e400", `{"${ID}":1}`)),
  )
  .map(([key, a, value]) => ({ text: `${JSON.stringify(key)}:${a}${value}`, isOurs: false }));

interface WithAndWithout {
  text: string;
  without: string;
}

/** An object that holds members of ours, and what has to be left of it: each goes with one comma. */
const args: fc.Arbitrary<WithAndWithout> = fc
  .array(fc.tuple(fc.oneof(ours, other, other), space, space), { maxLength: 5 })
  .map((members) => {
    let [text, without] = ["{", "{"];
    const firstKept = members.findIndex(([{ isOurs }]) => !isOurs);
    members.forEach(([member, before, after], index) => {
      const comma = index + 1 < members.length ? "," : "";
      text += before + member.text + after + comma;
      without += left(member, before, after, comma, firstKept < 0 || index < firstKept);
    });
    return { text: `${text}}`, without: `${without}}` };

    function left(member: Member, before: string, after: string, comma: string, isBeforeAllKept: boolean): string {
      if (!member.isOurs) return before + member.text + after + comma;
      // In front of what stays, the comma behind goes too, with what stands before it; else the one before.
      return isBeforeAllKept ? before + (comma === "" ? after : "") : `\uE000${after}${comma}`;
    }
  })
  .map(({ text, without }) => ({ text, without: without.replaceAll(/,[ \t\r]*\uE000/g, "") }));

const params = (arguments_: string) => `{"name":"echo","arguments":${arguments_},"_meta":{"${ID}":"x"}}`;
const call = fc.tuple(args, fc.integer(), fc.boolean()).map(([{ text, without }, id, isLate]) => {
  const whole = (body: string) =>
    isLate
      ? `{"params":${params(body)},"method":"tools/call","id":${id}}`
      : `{"id":${id},"method":"tools\\/call","params":${params(body)}}`;
  return { text: whole(text), without: whole(without) };
});
const same = (text: string): WithAndWithout => ({ text, without: text });
const noCall = fc.oneof(
  fc.json().map(same),
  args.map(({ text }) => same(`{"id":1,"method":"tools/list","params":${params(text)}}`)),
  args.map(({ text }) => same(`{"id":1,"result":${params(text)}}`)),
  fc.string({ unit: "binary" }).map((text) => same(text.replaceAll("\n", " "))),
  fc.constantFrom("", " ", "{", "[", "[]", "{]", '{"a', '"', "nope").map(same),
);
const line = fc.oneof(
  call,
  noCall,
  fc.array(call, { minLength: 1, maxLength: 3 }).map((calls) => ({
    text: `[${calls.map(({ text }) => text).join(" , ")}]`,
    without: `[${calls.map(({ without }) => without).join(" , ")}]`,
  })),
);

describe("calls on their way to the server", () => {
  test("lose the ids of ours and nothing else, under any chunking", () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 6 }),
        fc.boolean(),
        fc.infiniteStream(fc.integer({ min: 1, max: 60 })),
        (lines, isEnded, sizes) => {
          const end = isEnded ? "\n" : "";
          const sent = Buffer.from(lines.map(({ text }) => text).join("\n") + end);
          const gate = new IdGate(1e9);
          const got: Buffer[] = [];
          const take = (passages: ReturnType<IdGate["feed"]>) => {
            for (const passage of passages) if (passage.kind === "pass") got.push(Buffer.from(passage.bytes));
          };
          for (let at = 0; at < sent.length; ) {
            // As a host's buffer may be used again, so may this one.
            const chunk = new Uint8Array(sent.subarray(at, at + (sizes.next().value ?? 1)));
            take(gate.feed(chunk));
            at += chunk.length;
            chunk.fill(0x5a);
          }
          take(gate.end());
          expect(Buffer.concat(got).toString("latin1")).toBe(
            Buffer.from(lines.map(({ without }) => without).join("\n") + end).toString("latin1"),
          );
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
