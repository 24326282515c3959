import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DiscoveryFiles } from "../../src/control/discovery-files.ts";
import type { Discovery } from "../../src/core/control-wire.ts";
import { discoveryPath, serverDiscoveryPath } from "../../src/kit/paths.ts";
import { KeptLog, ownHome } from "./control-fixture.ts";

/** The files that lead to a server. */

const OWN = { url: "http://127.0.0.1:1", token: "tok", pid: 1, startedAt: 2, processStartedAt: "boot/3" };

function makeFiles(home = ownHome()) {
  const clock = { now: 0 };
  const log = new KeptLog();
  const files = new DiscoveryFiles(home, OWN, log, () => clock.now);
  const of = (directory: string): Discovery => JSON.parse(readFileSync(discoveryPath(directory, home), "utf8"));
  const names = () => readdirSync(join(home, "control")).sort();
  return { home, files, log, clock, of, names };
}

describe("discovery files", () => {
  test("are the server's own and one for each directory, for their owner alone", () => {
    const { home, files, of, names } = makeFiles();
    files.takeOver();
    files.publish();
    files.heardOf(["/a", null, "/b", "not/absolute", ""], "session-1");
    expect(JSON.parse(readFileSync(serverDiscoveryPath(home), "utf8"))).toEqual({ ...OWN, sessionId: null });
    expect(of("/a")).toEqual({ ...OWN, sessionId: "session-1" });
    expect(names()).toHaveLength(3);
    for (const name of names()) expect(statSync(join(home, "control", name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "control")).mode & 0o777).toBe(0o700);
  });

  test("of a directory name its latest session, without being written at every turn", () => {
    const { files, of, clock } = makeFiles();
    files.takeOver();
    files.heardOf(["/a"], "one");
    files.heardOf(["/a"], "two");
    expect(of("/a").sessionId).toBe("one");
    clock.now = 6000;
    files.heardOf(["/a"], "two");
    expect(of("/a").sessionId).toBe("two");
  });

  test("that a killed server left lead to this one; what it had half written goes", () => {
    const { home, files, of, names } = makeFiles();
    mkdirSync(join(home, "control"), { mode: 0o755 });
    const old = { ...OWN, token: "old", url: "http://127.0.0.1:9" };
    for (const path of [serverDiscoveryPath(home), discoveryPath("/a", home)]) {
      writeFileSync(path, JSON.stringify(old), { mode: 0o644 });
    }
    writeFileSync(`${serverDiscoveryPath(home)}.${process.pid}.tmp`, '{"url":');
    writeFileSync(join(home, "control", "server.lock"), "");
    files.takeOver();
    files.publish();
    expect(of("/a")).toEqual({ ...OWN, sessionId: null });
    expect(names()).not.toContain(`server.json.${process.pid}.tmp`);
    expect(names()).toContain("server.lock");
    expect(statSync(join(home, "control")).mode & 0o777).toBe(0o700);
    for (const name of names().filter((one) => one.endsWith(".json"))) {
      expect(statSync(join(home, "control", name)).mode & 0o777).toBe(0o600);
    }
  });

  test("that are removed or replaced come back", () => {
    const { home, files, log } = makeFiles();
    files.takeOver();
    files.publish();
    const path = serverDiscoveryPath(home);
    for (const spoil of [
      () => rmSync(path),
      () => writeFileSync(path, "{}"),
      () => rmSync(join(home, "control"), { recursive: true }),
    ]) {
      spoil();
      files.keepInPlace();
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ ...OWN, sessionId: null });
    }
    expect(log.lines).toEqual([]);
  });

  test("go with the server, but none that leads elsewhere", () => {
    const { home, files, names } = makeFiles();
    files.takeOver();
    files.publish();
    files.heardOf(["/a", "/b"], null);
    writeFileSync(discoveryPath("/b", home), JSON.stringify({ ...OWN, token: "another" }));
    writeFileSync(join(home, "control", "server.lock"), "");
    files.remove();
    expect(names()).toHaveLength(2);
    expect(names()).toContain("server.lock");
  });

  test("that cannot be written are no trouble for a request", () => {
    const { files, log } = makeFiles();
    files.heardOf(["/a"], null);
    expect(log.lines).toEqual(["fault while writing a discovery file: Error"]);
  });

  test("are at most a thousand", () => {
    const { files, names } = makeFiles();
    files.takeOver();
    files.heardOf(
      Array.from({ length: 1100 }, (_, index) => `/d/${index}`),
      null,
    );
    expect(names()).toHaveLength(1000);
  });
});
