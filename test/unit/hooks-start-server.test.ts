import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { controlDirectory, downSwitchPath, offSwitchPath, serverDiscoveryPath } from "../../src/kit/paths.ts";
import { startServer } from "../../src/kit/start-server.ts";

/** When no server is started in the background. That one is, and how, the tests of processes see. */

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bir-test-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string, at = Date.now()): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  utimesSync(path, at / 1000, at / 1000);
}

test("not while it is switched down, whoever asks", () => {
  put(downSwitchPath(home));
  expect(startServer(home)).toBe("down");
  expect(startServer(home, true)).toBe("down");
  expect(existsSync(controlDirectory(home))).toBe(false);
});

test("not while recording is off", () => {
  put(offSwitchPath(home));
  expect(startServer(home)).toBe("off");
});

test("not right after another one that has not said where it is", () => {
  const now = Date.now() + 500;
  put(serverDiscoveryPath(home), now - 10_000);
  put(join(controlDirectory(home), "starting"), now);
  expect(startServer(home)).toBe("recent");
});

test("not in a home that is none", () => {
  writeFileSync(join(home, "file"), "");
  expect(startServer(join(home, "file"))).toBe("failed");
  expect(startServer(join(home, "file"), true)).toBe("failed");
});
