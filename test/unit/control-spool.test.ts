import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SpoolDrain } from "../../src/control/spool/spool-drain.ts";
import { LineTaker } from "../../src/control/spool/spooled-line.ts";
import { processStartedAt } from "../../src/kit/process-identity.ts";
import { FakeRecorder, hookLine, KeptLog, ownHome, registration, stepText } from "./control-fixture.ts";

/** What waits for a server, and how it is taken up. */

const BOOT = process.platform === "linux" ? (processStartedAt(process.pid)?.split("/")[0] ?? "") : "0";
/** No process has this number. */
const GONE = 4_194_305;

class TestSpool {
  readonly home = ownHome();
  readonly directory = join(this.home, "spool");
  readonly recorder = new FakeRecorder();
  readonly log = new KeptLog();
  readonly heard: unknown[] = [];
  /** Epoch ms. */
  now = Date.now();
  readonly drain = this.another();

  constructor() {
    mkdirSync(this.directory, { mode: 0o700 });
  }

  /** A drain that knows nothing yet, as that of a server after this one. */
  another(): SpoolDrain {
    const taker = new LineTaker(this.recorder, (...heard) => this.heard.push(heard));
    return new SpoolDrain(this.home, taker, this.log, () => this.now);
  }

  put(content: string, { pid = GONE, boot = BOOT, ageMs = 0 } = {}): string {
    const path = join(this.directory, `${boot}-${pid}.ndjson`);
    appendFileSync(path, content);
    const seconds = (this.now - ageMs) / 1000;
    utimesSync(path, seconds, seconds);
    return path;
  }

  names(): string[] {
    return readdirSync(this.directory).sort();
  }

  unreadable(): string[] {
    const directory = join(this.directory, "unreadable");
    if (!existsSync(directory)) return [];
    return readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
  }
}

describe("what waits", () => {
  test("is taken up in the order in which it was told, over all files", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("c", 30) + hookLine("e", 50), { pid: GONE });
    spool.put(hookLine("a", 10) + hookLine("d", 40), { pid: GONE + 1 });
    spool.put(hookLine("b", 20), { boot: "00000000" });
    expect(await spool.drain.pass()).toBe(5);
    expect(spool.recorder.hookIds()).toEqual(["a", "b", "c", "d", "e"]);
    expect(spool.names()).toEqual([]);
  });

  test("of one process stays in its order, though its clock went back", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 50) + hookLine("b", 10));
    spool.put(hookLine("c", 30), { pid: GONE + 1 });
    await spool.drain.pass();
    expect(spool.recorder.hookIds()).toEqual(["c", "a", "b"]);
  });

  test("of a proxy is told under one id, with its payloads as they are written", async () => {
    const spool = new TestSpool();
    const line = (...reports: string[]) =>
      `{"route":"/proxy/step","registration":${JSON.stringify(registration({ sessionId: "s" }))},"reports":[${reports.join(",")}]}\n`;
    spool.put(line(stepText("r1", '"args":{"n":1e400}')) + line(stepText("r2"), stepText("r3")));
    spool.put(hookLine("hook", 1002), { pid: GONE + 1 });
    await spool.drain.pass();
    expect(spool.recorder.registrations).toHaveLength(1);
    expect(spool.recorder.told.map(({ proxyId, told }) => [proxyId, told.map((one) => one.reportId)])).toEqual([
      ["proxy-1", ["r1"]],
      ["proxy-1", ["r2", "r3"]],
    ]);
    expect(spool.recorder.told[0]?.told[0]).toMatchObject({ args: '{"n":1e400}', callRef: "r1" });
    expect(spool.heard).toContainEqual([[null, "/home/ada/project"], "s"]);
  });

  test("of a proxy that the recorder has forgotten is told under a new id", async () => {
    const spool = new TestSpool();
    const line = (id: string) =>
      `{"route":"/proxy/step","registration":${JSON.stringify(registration())},"reports":[${stepText(id)}]}\n`;
    spool.put(line("r1"));
    await spool.drain.pass();
    spool.recorder.proxies.clear();
    spool.put(line("r2"));
    await spool.drain.pass();
    expect(spool.recorder.told.map(({ proxyId }) => proxyId)).toEqual(["proxy-1", "proxy-2"]);
  });

  test("costs nothing where there is none, and no directory is made", async () => {
    const spool = new TestSpool();
    Bun.spawnSync(["rmdir", spool.directory]);
    expect(await spool.drain.pass()).toBe(0);
    expect(existsSync(spool.directory)).toBe(false);
  });

  test("is taken up one pass at a time", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 1));
    await Promise.all([spool.drain.pass(), spool.drain.pass()]);
    expect(spool.recorder.hookIds()).toEqual(["a"]);
  });
});

describe("DEG-13 what the store does not take", () => {
  test("stays, with all that follows it, and is taken up later", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 1) + hookLine("b", 2));
    spool.put(hookLine("c", 3), { pid: GONE + 1 });
    let taken = 0;
    spool.recorder.before = () => {
      if (++taken > 1) spool.recorder.refuse();
      if (taken > 1) spool.recorder.before();
    };
    expect(await spool.drain.pass()).toBe(1);
    expect(spool.names()).toHaveLength(2);
    spool.recorder.accept();
    // A server that is started anew tells it all again: repeats change nothing.
    await spool.another().pass();
    expect(spool.recorder.hookIds()).toEqual(["a", "a", "b", "c"]);
    expect(spool.names()).toEqual([]);
  });

  test("is not told again by the same server, and not at once", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 1) + hookLine("b", 2));
    let taken = 0;
    spool.recorder.before = () => {
      if (++taken === 2) spool.recorder.refuse();
      if (taken === 2) spool.recorder.before();
    };
    await spool.drain.pass();
    spool.recorder.accept();
    expect(await spool.drain.pass()).toBe(0);
    for (let settled = 0; settled === 0; await Bun.sleep(20)) settled = await spool.drain.pass();
    expect(spool.recorder.hookIds()).toEqual(["a", "b"]);
    expect(spool.names()).toEqual([]);
  });
});

describe("a file whose process is still there", () => {
  const own = { pid: process.pid };

  test("is moved aside and goes after a while", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 1), own);
    await spool.drain.pass();
    expect(spool.names()).toEqual([expect.stringMatching(/^[0-9a-f]+-\d+\.\d+\.taken$/)]);
    await spool.drain.pass();
    expect(spool.recorder.hookIds()).toEqual(["a"]);
    spool.now += 11_000;
    await spool.drain.pass();
    expect(spool.names()).toEqual([]);
  });

  test("may still get a line that was being written when it was moved", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 1), own);
    await spool.drain.pass();
    appendFileSync(join(spool.directory, spool.names()[0] ?? ""), hookLine("b", 2));
    spool.put(hookLine("c", 3), own);
    await spool.drain.pass();
    expect(spool.recorder.hookIds()).toEqual(["a", "b", "c"]);
    spool.now += 11_000;
    await spool.drain.pass();
    await spool.drain.pass();
    expect(spool.names()).toEqual([]);
  });

  test("is taken up by the next server when this one is killed", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 1), own);
    await spool.drain.pass();
    await spool.another().pass();
    expect(spool.recorder.hookIds()).toEqual(["a", "a"]);
  });
});

describe("DEG-16 what cannot be read", () => {
  const OLD = { ageMs: 11_000 };

  test.each([
    ["no JSON", "{nonsense\n"],
    ["no report", '{"route":"/tool/pre","report":{"reportId":1}}\n'],
    ["no route of ours", '{"route":"/nowhere"}\n'],
    ["binary", "\u0000\u0001\u0002\n"],
    ["a line that was cut off", hookLine("x", 1).slice(0, 50)],
  ])("of %s is kept beside the others, which are taken up", async (_what, text) => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 1) + text, OLD);
    spool.put(hookLine("b", 2), { pid: GONE + 1 });
    await spool.drain.pass();
    expect(spool.recorder.hookIds()).toEqual(["a", "b"]);
    expect(spool.unreadable()).toEqual([text.endsWith("\n") ? text : `${text}\n`]);
    expect(spool.names()).toEqual(["unreadable"]);
    expect(spool.log.lines).toEqual([expect.stringMatching(/^a line of .* could not be read: .*\(DEG-16\)$/)]);
    expect(spool.log.lines.join()).not.toContain("nonsense");
  });

  test("yet may be a line that is being written: it is waited for", async () => {
    const spool = new TestSpool();
    const line = hookLine("b", 2);
    const path = spool.put(hookLine("a", 1) + line.slice(0, 50));
    await spool.drain.pass();
    expect(spool.recorder.hookIds()).toEqual(["a"]);
    expect(spool.unreadable()).toEqual([]);
    spool.put(line.slice(50));
    await spool.drain.pass();
    expect(spool.recorder.hookIds()).toEqual(["a", "b"]);
    expect(existsSync(path)).toBe(false);
  });

  test("a whole report without its line's end counts, once nothing more can come", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("a", 1).trimEnd());
    expect(await spool.drain.pass()).toBe(0);
    spool.now += 11_000;
    expect(await spool.drain.pass()).toBe(1);
    expect(spool.names()).toEqual([]);
  });

  test("a report on which the recorder fails is tried a few times, and kept", async () => {
    const spool = new TestSpool();
    spool.put(hookLine("bad", 1) + hookLine("good", 2));
    spool.recorder.takeHook = async (route, report) => {
      if (report.reportId === "bad") throw new RangeError("hunter2");
      spool.recorder.hooks.push({ route, report });
      return { stragglers: 0, injectedId: null };
    };
    for (let pass = 0; pass < 3; pass++) await spool.drain.pass();
    expect(spool.recorder.hookIds()).toEqual(["good"]);
    expect(spool.unreadable()).toEqual([hookLine("bad", 1)]);
    expect(spool.names()).toEqual(["unreadable"]);
    expect(spool.log.lines.join()).not.toContain("hunter2");
  });

  test("what is none of ours is left alone", async () => {
    const spool = new TestSpool();
    writeFileSync(join(spool.directory, "notes.txt"), "x");
    mkdirSync(join(spool.directory, `${BOOT}-1.ndjson`));
    await spool.drain.pass();
    expect(spool.names()).toEqual([`${BOOT}-1.ndjson`, "notes.txt"]);
  });

  test("an empty file goes", async () => {
    const spool = new TestSpool();
    spool.put("");
    spool.put("\n\n", { pid: GONE + 1 });
    await spool.drain.pass();
    expect(spool.names()).toEqual([]);
  });
});

test("a thousand files are taken up whole, in order, and requests get their turn", async () => {
  const spool = new TestSpool();
  for (let index = 0; index < 1000; index++)
    spool.put(hookLine(`r${index}`, index), { pid: GONE + ((index * 7) % 1000) });
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  expect(await spool.drain.pass()).toBe(1000);
  clearInterval(timer);
  expect(spool.recorder.hookIds()).toEqual(Array.from({ length: 1000 }, (_, index) => `r${index}`));
  expect(turns).toBeGreaterThan(1);
  expect(spool.names()).toEqual([]);
});
