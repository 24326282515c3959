/** Whatever becomes of the server, in any order: each call is recorded once, in one place, with its outcome. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecordedCall } from "../../src/proxy/tiers/tiered-recorder.ts";
import { trustedText } from "../../src/redact/redact.ts";
import { type Behaviour, BoundWorld } from "../unit/bound-fixture.ts";
import { START } from "../unit/wire-fixture.ts";

type Op =
  | { do: "open" }
  | { do: "close"; which: number }
  | { do: "gap" }
  | { do: "burst meanwhile"; calls: number }
  | { do: "pass"; ms: number }
  | { do: "behave"; as: Behaviour }
  | { do: "restart" | "go on" | "down" | "up" | "drain" | "traffic" | "spool full" | "spool works" };

const behaviours: Behaviour[] = ["well", "acks-lost", "lost", "stopped", "busy", "unsure", "dead"];
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Op>({ do: "open" }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("close" as const), which: fc.nat(20) }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(1, 45, 300, 4_000, 11_000, 16_000) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("behave" as const), as: fc.constantFrom(...behaviours) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("burst meanwhile" as const), calls: fc.constantFrom(3, 280) }),
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom("gap", "restart", "go on", "down", "up", "drain", "traffic", "traffic", "spool full", "spool works")
      .map((it) => ({ do: it }) as Op),
  },
);

interface Session {
  world: BoundWorld;
  calls: number;
  open: { n: number; call: RecordedCall }[];
  gaps: number;
}

async function apply(session: Session, one: Op): Promise<void> {
  const { world } = session;
  switch (one.do) {
    case "open":
      session.open.push({ n: session.calls, call: world.call(session.calls++) });
      break;
    case "close": {
      const [ended] = session.open.splice(one.which % Math.max(1, session.open.length), 1);
      if (ended !== undefined) world.end(ended.call, ended.n % 3 === 0 ? "error" : "ok");
      break;
    }
    case "gap":
      session.gaps++;
      world.recorder.gap(trustedText("DEG-15 recorder-fault"), 1, START + world.now);
      break;
    case "burst meanwhile":
      world.meanwhile = () => {
        for (let n = 0; n < one.calls; n++) session.open.push({ n: session.calls, call: world.call(session.calls++) });
        for (const { n, call } of session.open.splice(5)) world.end(call, n % 3 === 0 ? "error" : "ok");
      };
      break;
    case "pass":
      await world.pass(one.ms);
      break;
    case "behave":
      if (world.server.behaviour !== "dead") world.server.behaviour = one.as;
      break;
    case "restart":
      world.server.restart();
      break;
    case "go on":
      if (world.server.behaviour === "stopped") world.server.goOn();
      break;
    case "down":
    case "up":
      world.isDown = one.do === "down";
      break;
    case "drain":
      if (world.server.behaviour === "well") world.drainSpool();
      break;
    case "traffic":
      world.traffic();
      break;
    default:
      world.spoolWorks = one.do === "spool works";
  }
  await world.work();
}

/** Where a call's outcome was told, with its number and status. */
function told({ world }: Session): string[] {
  const atServer = world.server.ended.map(({ args, status }) => `${(args as { n: number }).n} ${status}`);
  const own = world.ownRuns.flatMap((run) =>
    run.steps.map(({ args, status }) => `${(args as { n: number }).n} ${status}`),
  );
  return [...atServer, ...own];
}

const numbered = (a: string, b: string) => Number.parseInt(a, 10) - Number.parseInt(b, 10);

describe("a session whose server comes and goes", () => {
  test("loses no call and tells none twice", async () => {
    const changes: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(
        fc.array(op, { maxLength: 80, size: "max" }),
        fc.boolean(),
        fc.constantFrom(...behaviours),
        async (ops, isMeant, first) => {
          const session: Session = { world: new BoundWorld(), calls: 0, open: [], gaps: 0 };
          const { world } = session;
          world.isMeant = isMeant;
          world.server.behaviour = first;
          for (const one of ops) await apply(session, one);
          for (const { n, call } of session.open) world.end(call, n % 3 === 0 ? "error" : "ok");
          world.spoolWorks = true;
          await world.finish();
          expect(world.ownRuns.filter(({ status }) => status === "running")).toEqual([]);
          if (world.server.behaviour === "stopped") world.server.goOn();
          world.drainSpool();
          const expected = Array.from({ length: session.calls }, (_, n) => `${n} ${n % 3 === 0 ? "error" : "ok"}`);
          expect(told(session).sort(numbered)).toEqual(expected);
          // What runs at the server has ended there.
          const ended = new Set(world.server.ended.map(({ callRef }) => callRef));
          expect(world.server.steps.filter(({ callRef }) => !ended.has(callRef))).toEqual([]);
          const atServer = [...world.server.reports.values()].filter((report) => report.kind === "gap");
          const own = world.ownRuns.flatMap(({ gaps }) => gaps);
          expect([...atServer, ...own].reduce((sum, { lost }) => sum + lost, 0)).toBe(session.gaps);
          for (const change of world.changes) changes[change] = (changes[change] ?? 0) + 1;
        },
      ),
      { numRuns: 400 },
    );
    // Or nothing was tested.
    for (const change of ["bound", "missing", "alone", "gone", "down", "behind"]) {
      expect(changes[change], change).toBeGreaterThan(0);
    }
  });
});
