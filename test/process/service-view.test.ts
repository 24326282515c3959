/** `bir view`: the page opens once, at the run that is meant, and nothing on the way there shows others how. */

import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { ask, endService, recordRun, type Serving, startService } from "./service-process.ts";

interface Link {
  code: string;
  place: string;
}

function parts(link: unknown): Link {
  const [, code = "", place = ""] = /^http:\/\/127\.0\.0\.1:\d+\/#\/open\/([\w-]{43})(.*)$/.exec(String(link)) ?? [];
  return { code, place };
}

/** What the page does with the code in its address. */
async function exchange(serving: Serving, code: string): Promise<Response> {
  const headers = { authorization: null, "content-type": "application/json", origin: serving.url };
  return await ask(serving, "/session", { method: "POST", body: JSON.stringify({ code }) }, headers);
}

/** A browser that writes down how it was started, and what it was given. */
function browser(box: Sandbox, status = 0): { command: string; arguments: () => string; page: () => string } {
  const seen = box.file("browser-arguments");
  const copy = box.file("browser-page");
  const path = box.file(
    "browser.sh",
    `#!/bin/sh\ncat "$1" > "${copy}.part" && mv "${copy}.part" "${copy}"\nprintf '%s\\n' "$0 $*" > "${seen}.part" && mv "${seen}.part" "${seen}"\nexit ${status}\n`,
  );
  return {
    command: `sh ${path}`,
    arguments: () => readFileSync(seen, "utf8"),
    page: () => readFileSync(copy, "utf8"),
  };
}

describe("bir view", () => {
  test("serves, and prints a link that works once", async ({ box }) => {
    const serving = await startService(box, ["view", "--port", "0", "--no-open", "--json"]);
    expect(serving.said).toMatchObject({ alreadyRunning: false, opened: false, runId: null, url: serving.url });
    const { code, place } = parts(serving.said.link);
    expect(place).toBe("");
    const answer = await exchange(serving, code);
    expect(answer.status).toBe(200);
    const { key } = (await answer.json()) as { key: string };
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(cookie).toMatch(new RegExp(`^bir-${serving.port}=`));
    const own = { authorization: null, cookie, "x-bir-key": key };
    expect((await ask(serving, "/api/runs", {}, own)).status).toBe(200);
    expect((await ask(serving, "/api/runs", {}, { ...own, "x-bir-key": null })).status).toBe(401);
    expect((await exchange(serving, code)).status).toBe(401);
    expect(await endService(serving, "SIGINT")).toBe(0);
  });

  test("opens a browser with a file that only its owner can read; no argument tells the code", async ({
    box,
    task,
  }) => {
    needs(task.context, process.platform !== "win32", "the browser is a shell script");
    const { command, arguments: words, page } = browser(box);
    const id = await recordRun(box);
    const env = { BROWSER: command };
    const serving = await startService(box, ["view", id.slice(0, 14), "--port", "0", "--json"], { env });
    expect(serving.said).toMatchObject({ opened: true, runId: id });
    const { code, place } = parts(serving.said.link);
    expect(place).toBe(`/run/${id}`);
    expect(words()).toMatch(new RegExp(`^\\S+ ${join(box.birHome, "view")}/open-[\\w-]+\\.html\n$`));
    expect(words()).not.toContain(code);
    expect(page()).toContain(`location.replace("${serving.said.link}")`);
    const [name = ""] = readdirSync(join(box.birHome, "view")).filter((one) => one.startsWith("open-"));
    const path = join(box.birHome, "view", name);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // It goes once it is no use any more.
    const before = new Date(Date.now() - 151_000);
    utimesSync(path, before, before);
    while (existsSync(path)) await Bun.sleep(20);
    expect((await exchange(serving, code)).status).toBe(200);
    expect(await endService(serving)).toBe(0);
  });

  test("where a service runs, only opens its page", async ({ box }) => {
    const serving = await startService(box);
    const id = await recordRun(box);
    const { code, stdout, stderr } = await box.bir(["view", "latest", "--no-open", "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    const said = JSON.parse(stdout) as Record<string, unknown>;
    expect(said).toMatchObject({ url: serving.url, alreadyRunning: true, opened: false, runId: id });
    expect(parts(said.link).place).toBe(`/run/${id}`);
    expect((await exchange(serving, parts(said.link).code)).status).toBe(200);
    const plain = await box.bir(["view", "--no-open"]);
    expect(plain.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/open\/[\w-]{43}\n$/);
    expect(plain.stderr).toBe("Open this link within two minutes; it works once.\n");
    expect(await endService(serving)).toBe(0);
  });

  test("without a browser prints the link and says so", async ({ box }) => {
    const serving = await startService(box);
    for (const env of [{}, { BROWSER: "/nowhere/browser" }, { BROWSER: "false" }]) {
      const { code, stdout, stderr } = await box.bir(["view"], { env });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^http:\S+\n$/);
      expect(stderr).toContain("No browser could be started here.");
    }
    expect(await endService(serving)).toBe(0);
  });

  test.for([
    ["run_nothing", "no-such-run"],
    ["latest", "no-runs"],
  ])("of %s says that there is none, and serves nothing", async ([word, code], { box }) => {
    const { code: status, stdout } = await box.bir(["view", word as string, "--json"]);
    expect([status, JSON.parse(stdout)]).toEqual([1, { error: expect.objectContaining({ code }) }]);
    expect(existsSync(join(box.birHome, "view"))).toBe(false);
  });

  test("believes no file that names another process, and sends it nothing", async ({ box }) => {
    const seen: string[] = [];
    const stranger = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        seen.push(request.headers.get("authorization") ?? "");
        return Response.json({ pid: 1, startedAt: 1, code: "x" });
      },
    });
    try {
      const first = await startService(box);
      await endService(first);
      const file = join(box.birHome, "view", "server.json");
      const url = `http://127.0.0.1:${stranger.port}`;
      for (const own of [
        { url, pid: process.pid, processStartedAt: "boot/1", startedAt: 1 },
        { url, pid: 4_194_305, processStartedAt: "boot/1", startedAt: 1 },
        { url: "http://192.0.2.1:80", pid: process.pid, processStartedAt: "", startedAt: 1 },
        { url, pid: -1, processStartedAt: "", startedAt: 1 },
        {},
      ]) {
        writeFileSync(file, JSON.stringify(own));
        const serving = await startService(box, ["view", "--port", "0", "--no-open", "--json"]);
        expect(serving.said).toMatchObject({ alreadyRunning: false });
        await endService(serving);
      }
      expect(seen).toEqual([]);
    } finally {
      await stranger.stop(true);
    }
  });

  test("and `bir serve` are in the help and in completions", async ({ box }) => {
    const { stdout } = await box.bir(["--help"]);
    expect(stdout).toMatch(/^\s+view\s/m);
    expect(stdout).toMatch(/^\s+serve\s/m);
    for (const command of ["view", "serve"]) {
      const help = await box.bir([command, "--help"]);
      expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("--port")]);
    }
    const id = await recordRun(box);
    const proposed = await box.bir(["__complete", "view", ""]);
    expect(proposed.stdout).toContain(`${id}\t`);
  });
});
