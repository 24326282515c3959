import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Outstanding, type Pairing } from "../../src/proxy/outstanding.ts";

type Pairings = Pairing<string, string>[];

const told = (pairings: Pairings) => pairings.map((p) => `${p.request}=${p.answer}${p.certain ? "" : "?"}`);

/** Request and answer are named alike where the server meant one for the other. */
function session() {
  const waiting = new Outstanding<string, string>();
  const found: string[] = [];
  const keep = (pairings: Pairings) => void found.push(...told(pairings));
  return {
    waiting,
    found,
    open: (name: string, id = "7") => keep(waiting.open(id, name)),
    cancel: (id = "7") => waiting.cancel(id),
    answer: (name: string, id = "7") => keep(waiting.answer(id, name)),
    end: () => keep(waiting.settle()),
  };
}

describe("one id", () => {
  test("with one request: certain; its answer to a cancellation: nobody's", () => {
    const s = session();
    s.open("a");
    s.answer("a");
    s.answer("a");
    s.open("b");
    expect(s.cancel()).toBe("b");
    expect(s.cancel()).toBeUndefined();
    s.answer("b");
    s.end();
    expect(s.found).toEqual(["a=a"]);
    expect(s.cancel("unknown")).toBeUndefined();
  });

  test("cancelled, used again, both answered in order", () => {
    const s = session();
    s.open("a");
    s.cancel();
    s.open("b");
    expect(s.waiting.waiting("7")).toEqual(["a", "b"]);
    s.answer("a");
    expect(s.found).toEqual([]);
    s.answer("b");
    expect(s.found).toEqual(["b=b?"]);
    expect(s.waiting.waiting("7")).toEqual([]);
  });

  test("cancelled twice, used a third time, none of the cancelled answered", () => {
    const s = session();
    s.open("a");
    s.cancel();
    s.open("b");
    s.cancel();
    s.open("c");
    s.answer("c");
    s.end();
    expect(s.found).toEqual(["c=c?"]);
  });

  test("cancelled, used again, cancelled again: one answer is the first one's", () => {
    const s = session();
    s.open("a");
    s.cancel();
    s.open("b");
    s.answer("a");
    s.cancel();
    s.open("c");
    expect(s.found).toEqual([]);
    s.answer("b");
    s.answer("c");
    expect(s.found).toEqual(["c=c?"]);
  });

  test("used twice at once, with one answer: the first one's, if anybody's", () => {
    const s = session();
    s.open("a");
    s.open("b");
    s.answer("x");
    s.end();
    expect(s.found).toEqual(["a=x?"]);
  });
});

describe("whatever happens", () => {
  const id = fc.constantFrom("1", "2");
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("open" as const), id }),
    fc.record({ kind: fc.constantFrom("cancel" as const), id }),
    fc.record({ kind: fc.constantFrom("answer" as const), id }),
  );

  test("no answer is given twice, no request twice, no cancelled one at all, and doubt is told", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const waiting = new Outstanding<{ id: string; n: number }, number>();
        const cancelled = new Set<number>();
        /** Ids for which more than one request was open at once. */
        const reused = new Set<string>();
        const requests: number[] = [];
        const answers: number[] = [];
        const keep = (pairings: Pairing<{ id: string; n: number }, number>[], at: number) => {
          for (const { request, answer, certain } of pairings) {
            expect(cancelled.has(request.n)).toBe(false);
            expect(request.n).toBeLessThan(answer);
            expect(answer).toBeLessThanOrEqual(at);
            if (certain) expect(answer).toBe(at);
            else expect(reused.has(request.id)).toBe(true);
            requests.push(request.n);
            answers.push(answer);
          }
        };
        for (const [n, { kind, id: of }] of steps.entries()) {
          if (kind === "open") {
            if (waiting.waiting(of).length > 0) reused.add(of);
            keep(waiting.open(of, { id: of, n }), n);
          } else if (kind === "cancel") {
            const request = waiting.cancel(of);
            if (request !== undefined) cancelled.add(request.n);
          } else keep(waiting.answer(of, n), n);
        }
        keep(waiting.settle(), steps.length);
        expect(new Set(requests).size).toBe(requests.length);
        expect(new Set(answers).size).toBe(answers.length);
        expect(waiting.settle()).toEqual([]);
        expect(waiting.waiting("1")).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a server that answers everything in order is read right, late answers and all", () => {
    // Each generation of the id: cancelled or not; then all answers, in order, the host silent in between.
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), (isCancelled) => {
        const s = session();
        for (const [n, gone] of isCancelled.entries()) {
          s.open(`r${n}`);
          if (gone) s.cancel();
        }
        for (const n of isCancelled.keys()) s.answer(`r${n}`);
        s.end();
        const mark = isCancelled.length > 1 ? "?" : "";
        expect(s.found).toEqual(isCancelled.flatMap((gone, n) => (gone ? [] : [`r${n}=r${n}${mark}`])));
      }),
    );
  });

  test("a server that does not answer what was cancelled is read right, however often the id comes back", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), (isCancelled) => {
        const s = session();
        for (const [n, gone] of isCancelled.entries()) {
          s.open(`r${n}`);
          if (gone) s.cancel();
          else s.answer(`r${n}`);
        }
        s.end();
        const live = isCancelled.flatMap((gone, n) => (gone ? [] : [`r${n}=r${n}`]));
        expect(s.found.map((pair) => pair.replace("?", ""))).toEqual(live);
      }),
    );
  });
});
