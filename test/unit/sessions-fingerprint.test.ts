/** Calls that no id of the host's joins: by an id of ours, or by server, tool and arguments. */

import { beforeEach, describe, expect, test } from "vitest";
import { sendLogTo } from "../../src/kit/log.ts";
import { trustedText } from "../../src/redact/redact.ts";
import { HostScript, promptedHost as prompted } from "./host-script.ts";

const TOOL = "mcp__files__read";
const running = { status: "running" as const, durationMs: null, result: null };

describe("a call is joined by its arguments", () => {
  test.each([["hook"], ["proxy"]])("told by the %s first, whatever the order of their keys", async (first) => {
    const { desk, host, proxy } = await prompted();
    const wire = () => desk.tell(proxy, desk.step({ args: { b: [1, { d: 2, c: 3 }], a: 1 }, result: { real: 1 } }));
    if (first === "proxy") await wire();
    await host.post("t1", TOOL, { a: 1, b: [1, { c: 3, d: 2 }] }, "shown");
    if (first === "hook") await wire();
    await host.stop("Done.");
    expect(desk.run().steps).toMatchObject([
      { join: "fingerprint", callId: "t1", result: { real: 1 }, sources: ["proxy", "hook"] },
    ]);
  });

  test("by the fingerprint of the raw ones, where both have one: redaction may make different ones equal", async () => {
    const { desk, host, proxy } = await prompted();
    await host.pre("t1", TOOL, { key: "[REDACTED:x]" }, {}, { argsHash: "one" });
    await desk.tell(
      proxy,
      desk.step({ args: { key: "[REDACTED:x]" }, argsHash: trustedText("two"), result: { of: 2 } }),
    );
    expect(desk.run().steps).toMatchObject([{ status: "running", join: null }]);
    await desk.tell(
      proxy,
      desk.step({ args: { key: "[REDACTED:x]" }, argsHash: trustedText("one"), result: { of: 1 } }),
    );
    expect(desk.run().steps).toMatchObject([{ status: "ok", join: "fingerprint", result: { of: 1 } }]);
  });

  test("as another hook rewrote them on their way", async () => {
    const { desk, host, proxy } = await prompted();
    await host.pre("t1", TOOL, { path: "rewritten" });
    host.uses("t1", TOOL, { path: "original" });
    await desk.wait(2000);
    await desk.tell(proxy, desk.step({ args: { path: "rewritten" } }));
    expect(desk.stepOf()).toMatchObject({ join: "fingerprint", args: { path: "original" }, status: "ok" });
  });

  test("as another hook rewrote them, where the model's own were told first", async () => {
    const { desk, host, proxy } = await prompted();
    host.uses("t1", TOOL, { path: "original" });
    await desk.wait(2000);
    await host.pre("t1", TOOL, { path: "rewritten" });
    await desk.tell(proxy, desk.step({ args: { path: "rewritten" } }));
    expect(desk.run().steps).toMatchObject([{ join: "fingerprint", args: { path: "original" } }]);
  });

  test("not of one on the wire that had ended long before it began", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, desk.step({ args: { a: 1 } }));
    desk.now += 5000;
    await host.pre("t1", TOOL, { a: 1 });
    expect(desk.run().steps).toMatchObject([{ join: null, sources: ["hook"] }]);
  });

  test("only with the same server and tool, and only at a time at which it can be the same", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, desk.step({ args: { a: 1 }, toolName: trustedText("write") }));
    await host.post("t1", TOOL, { a: 1 }, "shown");
    await desk.tell(proxy, desk.step({ args: { a: 1 }, startedAt: desk.now + 5000 }));
    expect(desk.run().steps).toMatchObject([{ join: null, sources: ["hook"] }]);
    await desk.wait(30_000);
    const told = desk.run().steps.map(({ tool, join, sources }) => `${tool} ${join} ${sources.join("+")}`);
    expect(told.sort()).toEqual(["read null hook", "read null proxy", "write null proxy"]);
  });

  test("of the one that asked its person before, within ten minutes", async () => {
    const { desk, host, proxy } = await prompted();
    await host.pre("t1", TOOL, { a: 1 });
    desk.now += 9 * 60_000;
    await desk.tell(proxy, desk.step({ args: { a: 1 } }));
    await host.pre("t2", TOOL, { a: 2 });
    desk.now += 11 * 60_000;
    await desk.tell(proxy, desk.step({ args: { a: 2 } }));
    expect(desk.run().steps.map(({ callId, join }) => [callId, join])).toEqual([
      ["t1", "fingerprint"],
      ["t2", null],
    ]);
  });

  test("told to one server of the one, to another of the other", async () => {
    for (const first of ["hook", "proxy"]) {
      const { desk, host, proxy } = await prompted();
      if (first === "hook") await host.pre("t1", TOOL, { b: 12345678901234567890n.toString(), a: 1.5 });
      else await desk.tell(proxy, desk.step({ args: { a: 1.5, b: "12345678901234567890" } }));
      desk.restart();
      if (first === "hook") await desk.tell(desk.proxy(), desk.step({ args: { a: 1.5, b: "12345678901234567890" } }));
      else await host.post("t1", TOOL, { b: "12345678901234567890", a: 1.5 }, "shown");
      expect(desk.run().steps).toHaveLength(1);
    }
  });

  test("where the host gives its hooks no id, but the server: as in 2.0.10, and without its transcript", async () => {
    const { desk, host, proxy } = await prompted({ hasPromptIds: false, hasCallIds: false });
    for (const id of ["t1", "t2"]) {
      await desk.tell(proxy, desk.step({ hostCallId: trustedText(id), args: { a: 1 }, result: { of: id } }));
      await host.post(id, TOOL, { a: 1 }, "shown", { duration_ms: undefined });
      desk.now += 1000;
    }
    expect(desk.run().steps).toMatchObject([
      { callId: "t1", join: "fingerprint", result: { of: "t1" } },
      { callId: "t2", join: "fingerprint", result: { of: "t2" } },
    ]);
  });

  test("where only the transcript has the id that the server was sent", async () => {
    const { desk, host, proxy } = await prompted({ hasPromptIds: false, hasCallIds: false });
    await host.post("", TOOL, { path: "rewritten" }, "shown", { duration_ms: undefined });
    host.uses("t1", TOOL, { path: "rewritten" });
    desk.now += 100;
    await desk.tell(
      proxy,
      desk.step({ hostCallId: trustedText("t1"), args: { path: "rewritten" }, startedAt: desk.now - 100 }),
    );
    await host.stop(null, null);
    await desk.wait(20_000);
    expect(desk.run().steps).toMatchObject([{ callId: "t1", sources: ["proxy", "hook"], status: "ok" }]);
  });
});

describe("calls that nothing tells apart", () => {
  /** Two equal calls at once: `order` is who tells what, by the number of the call. */
  const ORDERS = [
    ["pre1", "pre2", "wire1", "wire2"],
    ["pre1", "wire1", "pre2", "wire2"],
    ["wire1", "wire2", "pre1", "pre2"],
    ["wire1", "pre1", "wire2", "pre2"],
    ["pre1", "wire1", "wire2", "pre2"],
    ["wire1", "pre1", "pre2", "wire2"],
  ];
  test.each(ORDERS)("are all marked: %s, %s, %s, %s", async (...order) => {
    const { desk, host, proxy } = await prompted();
    const startedAt = desk.now;
    const refs: Record<string, ReturnType<typeof desk.step>> = {};
    for (const each of order) {
      const [, what = "", n = ""] = /^(pre|wire)(\d)$/.exec(each) ?? [];
      if (what === "pre") await host.pre(`t${n}`, TOOL, { a: 1 });
      else {
        const step = desk.step({ args: { a: 1 }, startedAt, ...running });
        refs[n] = step;
        await desk.tell(proxy, step);
      }
      desk.now += 1;
    }
    for (const [n, { callRef }] of Object.entries(refs)) {
      await desk.tell(proxy, desk.step({ args: { a: 1 }, callRef, startedAt, durationMs: 100, result: { of: n } }));
    }
    await host.stop("Done.");
    expect(desk.run().steps).toHaveLength(2);
    expect(desk.run().steps.map(({ join }) => join)).toEqual(["ambiguous", "ambiguous"]);
    expect(
      desk
        .run()
        .steps.map(({ result }) => JSON.stringify(result))
        .sort(),
    ).toEqual(['{"of":"1"}', '{"of":"2"}']);
  });

  test.each([[false], [true]])(
    "are marked one after the other, too, where both can be it; other server: %s",
    async (isOther) => {
      const { desk, host, proxy } = await prompted();
      const at = desk.now;
      const first = desk.step({ args: { a: 1 }, startedAt: at, durationMs: 5 });
      const second = desk.step({ args: { a: 1 }, startedAt: at + 100, ...running });
      await desk.tell(proxy, first, second);
      desk.now += 200;
      // A host that tells of no durations: the call may have begun at any time before.
      await host.post("t1", TOOL, { a: 1 }, "shown", { duration_ms: undefined });
      await desk.tell(proxy, desk.step({ args: { a: 1 }, callRef: second.callRef, startedAt: at + 100 }));
      if (isOther) desk.restart();
      await host.post("t2", TOOL, { a: 1 }, "shown", { duration_ms: undefined });
      expect(desk.run().steps.map(({ join }) => join)).toEqual(["ambiguous", "ambiguous"]);
    },
  );

  test("are marked with another server in between", async () => {
    const { desk, host, proxy } = await prompted();
    const wires = [1, 2].map(() => desk.step({ args: { a: 1 }, durationMs: 100 }));
    await desk.tell(proxy, ...wires);
    await host.pre("t1", TOOL, { a: 1 });
    desk.restart();
    await host.pre("t2", TOOL, { a: 1 });
    expect(desk.run().steps.map(({ join }) => join)).toEqual(["ambiguous", "ambiguous"]);
  });

  test("one after the other are certain", async () => {
    const { desk, host, proxy } = await prompted();
    for (const n of [1, 2, 3]) {
      await host.pre(`t${n}`, TOOL, { a: 1 });
      desk.now += 20;
      await desk.tell(proxy, desk.step({ args: { a: 1 }, result: { of: n } }));
      await host.post(`t${n}`, TOOL, { a: 1 }, "shown");
      desk.now += 20;
    }
    expect(desk.run().steps.map(({ callId, join, result }) => [callId, join, result])).toEqual([
      ["t1", "fingerprint", { of: 1 }],
      ["t2", "fingerprint", { of: 2 }],
      ["t3", "fingerprint", { of: 3 }],
    ]);
  });

  test("that a proxy could not tell apart are marked, although the host's id joins them", async () => {
    const { desk, host, proxy } = await prompted();
    await host.post("t1", TOOL, { a: 1 }, "shown");
    await desk.tell(proxy, desk.step({ hostCallId: trustedText("t1"), isAmbiguous: true }));
    expect(desk.stepOf()).toMatchObject({ join: "ambiguous" });
  });

  test("leave calls alone that differ", async () => {
    const { desk, host, proxy } = await prompted();
    await desk.tell(proxy, desk.step({ args: { a: 1 } }), desk.step({ args: { a: 2 } }), desk.step({ args: { a: 1 } }));
    await host.post("t2", TOOL, { a: 2 }, "shown");
    expect(desk.stepOf()).toMatchObject({ join: "fingerprint" });
  });
});

describe("an id of ours in the arguments", () => {
  const logged: string[] = [];
  beforeEach(() => {
    logged.length = 0;
    sendLogTo((line) => logged.push(line));
  });

  const asking = { mayInject: true };

  test("joins the call that it was given out for, where nothing else tells two apart", async () => {
    const { desk, host, proxy } = await prompted({ hasCallIds: false });
    const ids: (string | null)[] = [];
    for (const _ of [1, 2]) ids.push((await host.pre("", TOOL, { a: 1 }, {}, asking)).injectedId);
    expect(ids).toEqual([expect.stringMatching(/^bir_[\w-]+$/), expect.stringMatching(/^bir_[\w-]+$/)]);
    const steps = ids.map((id, n) =>
      desk.step({ args: { a: 1 }, injectedId: trustedText(id ?? ""), startedAt: desk.now + n, result: { of: n } }),
    );
    await desk.tell(proxy, ...steps.reverse());
    expect(desk.run().steps.map(({ join, result, seq }) => [seq, join, result])).toEqual([
      [0, "injected-id", { of: 0 }],
      [1, "injected-id", { of: 1 }],
    ]);
  });

  test("is not put in without need: in plan mode, for a tool or server without a proxy, unasked", async () => {
    const { desk, host } = await prompted();
    const given = async (...call: Parameters<typeof host.pre>) => (await host.pre(...call)).injectedId;
    expect(await given("t1", TOOL, {}, { permission_mode: "plan" }, asking)).toBeNull();
    expect(await given("t2", "Bash", {}, {}, asking)).toBeNull();
    expect(await given("t3", "mcp__other__read", {}, {}, asking)).toBeNull();
    expect(await given("t4", TOOL, {})).toBeNull();
    expect(await given("t5", TOOL, {}, { permission_mode: "default" }, asking)).toMatch(/^bir_/);
    desk.dead.add(900);
    await desk.wait(10_000);
    expect(await given("t6", TOOL, {}, {}, asking)).toBeNull();
  });

  test("is not put in for a proxy of another session", async () => {
    const { desk } = await prompted();
    const other = new HostScript(desk, { sessionId: "s2", pid: 78 });
    await other.prompt("q1", "x");
    expect((await other.pre("t1", TOOL, {}, {}, asking)).injectedId).toBeNull();
  });

  test("DEG-11 that does not come through is the last one for its server", async () => {
    const { desk, host, proxy } = await prompted();
    const { injectedId } = await host.pre("t1", TOOL, { a: 1 }, {}, asking);
    expect(injectedId).not.toBeNull();
    await desk.tell(proxy, desk.step({ args: { a: 1 } }));
    expect(desk.stepOf()).toMatchObject({ join: "fingerprint", status: "ok" });
    expect((await host.pre("t2", TOOL, { a: 2 }, {}, asking)).injectedId).toBeNull();
    expect(logged.join("")).toMatch(/"files".*DEG-11/);
    desk.proxy({ serverName: "notes", pid: 901 });
    expect((await host.pre("t3", "mcp__notes__add", {}, {}, asking)).injectedId).not.toBeNull();
  });

  test("of a call that the host's id joins has to come through as well", async () => {
    const { desk, host, proxy } = await prompted();
    const { injectedId } = await host.pre("t1", TOOL, { a: 1 }, {}, asking);
    const hostCallId = trustedText("t1");
    await desk.tell(proxy, desk.step({ hostCallId, injectedId: trustedText(injectedId ?? "") }));
    expect(desk.stepOf()).toMatchObject({ join: "host-id" });
    expect((await host.pre("t2", TOOL, { a: 2 }, {}, asking)).injectedId).not.toBeNull();
    expect(logged).toEqual([]);
  });
});
