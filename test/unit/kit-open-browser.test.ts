/** How a browser is asked to open a file, on each system. */

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openCommand, openInBrowser } from "../../src/kit/open-browser.ts";

test.each([
  ["darwin", {}, ["open", "/a b.html"]],
  ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler", "/a b.html"]],
  ["linux", { DISPLAY: ":0" }, ["xdg-open", "/a b.html"]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open", "/a b.html"]],
  ["linux", {}, null],
  ["linux", { DISPLAY: "" }, null],
  ["linux", { BROWSER: "firefox" }, ["firefox", "/a b.html"]],
  ["darwin", { BROWSER: "my browser --new %s:other" }, ["my", "browser", "--new", "/a b.html"]],
  ["linux", { BROWSER: "x --at=%s -n" }, ["x", "--at=/a b.html", "-n"]],
] as const)("on %s with %o: %j", (platform, env, command) => {
  expect(openCommand("/a b.html", env, platform)).toEqual(command);
});

test("starts it without waiting for its end, and knows when that failed", async () => {
  const directory = mkdtempSync(join(tmpdir(), "bir-browser-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const seen = join(directory, "seen");
  const browser = join(directory, "browser");
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${seen}.part" && mv "${seen}.part" "${seen}"\n`);
  chmodSync(browser, 0o755);
  expect(await openInBrowser("/a b.html", { BROWSER: browser })).toBe(true);
  await vi.waitFor(() => expect(existsSync(seen)).toBe(true));
  expect(readFileSync(seen, "utf8")).toBe("/a b.html");
  expect(await openInBrowser("/a.html", { BROWSER: "false" })).toBe(false);
  expect(await openInBrowser("/a.html", { BROWSER: join(directory, "none") })).toBe(false);
});
