/** Who gets nothing of the page's service: a browser without a key, a used link, another name, another site's page. */

import { describe, expect, test } from "vitest";
import { fileNeeds } from "../harness/requirement.ts";
import { fragment, untilAt, untilCount, untilText } from "./looking.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { ASKED, recordSessions } from "./recordings.ts";
import { watchedTab } from "./watched-page.ts";
import { world } from "./world.ts";

const REFUSED = /status of 40[13]/;

describe.runIf(fileNeeds(...BROWSER_NEED))("a stranger", () => {
  const here = world(recordSessions);

  test.each(["#/", "#/?q=parser", "#/run/", "#/compare/"])(
    "without a key sees at %s how to be let in, and no more",
    async (place) => {
      const watched = await here.stranger();
      here.allow(watched, REFUSED);
      const { page } = watched;
      const [a, b] = here.runs(ASKED);
      await page.goto(
        here.url(place.endsWith("run/") ? `${place}${a}` : place.endsWith("compare/") ? `${place}${a}/${b}` : place),
      );
      await untilText(page.locator("h1"), "Open this page with its link");
      expect(await page.title()).toBe("Not signed in · bir");
      expect(await page.content()).not.toContain(ASKED);
      await page.getByRole("button", { name: "Try again" }).click();
      await untilText(page.locator("h1"), "Open this page with its link");
    },
  );

  test("with a link that was used gets nothing; the tab that waits goes on once another was let in", async () => {
    const link = await here.service.link();
    const owner = await here.stranger();
    await owner.page.goto(link);
    await untilCount(owner.page.locator(".list-run"), 3);
    expect(fragment(owner.page)).toBe("#/");

    const thief = await here.stranger();
    here.allow(thief, REFUSED);
    await thief.page.goto(link);
    await untilText(thief.page.locator("h1"), "Open this page with its link");
    await untilAt(thief.page, "#/");

    const second = await watchedTab(thief.context, thief.missteps);
    await second.goto(`${await here.service.link()}/run/${here.run(ASKED)}`);
    await untilText(second.locator("h1"), ASKED);
    await untilAt(second, `#/run/${here.run(ASKED)}`);
    await untilCount(thief.page.locator(".list-run"), 3);
  });

  test("that has the cookie but not the key, or the key but not the cookie, is not let in", async () => {
    const owner = await here.open();
    await untilCount(owner.page.locator(".list-run"), 3);
    const { cookies, origins } = await owner.context.storageState();
    expect(cookies).toEqual([expect.objectContaining({ httpOnly: true, sameSite: "Strict" })]);
    for (const storageState of [
      { cookies, origins: [] },
      { cookies: [], origins },
    ]) {
      const watched = await here.open("#/", { storageState });
      here.allow(watched, REFUSED);
      await untilText(watched.page.locator("h1"), "Open this page with its link");
    }
  });

  test("of another name gets no page at all", async () => {
    const { port } = new URL(here.service.url);
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { host: `evil.example:${port}` } });
    expect([answer.status, await answer.text()]).toEqual([403, expect.not.stringContaining("<script")]);
    const own = await fetch(here.service.url);
    expect(own.status).toBe(200);
    const policy = own.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-|\*|https?:/);
    expect(await own.text()).not.toMatch(/<script(?![^>]* src=)|\son\w+=|style=/i);
  });

  test("page of another port gets nothing, whatever it tries in a browser that is let in", async () => {
    const attacker = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response("<!doctype html><title>attacker</title><body>", { headers: { "content-type": "text/html" } }),
    });
    try {
      const { page, context, missteps } = await here.open();
      await untilCount(page.locator(".list-run"), 3);
      const key = await page.evaluate(() => localStorage.getItem("bir.key"));
      expect(key).toMatch(/^[\w.-]{20,}$/);
      for (const site of [attacker.url.href, `http://localhost:${attacker.port}/`]) {
        const evil = await context.newPage();
        await evil.goto(site);
        const got = await evil.evaluate(
          async ({ url, run }) => {
            const tried = async (attempt: () => Promise<Response>) =>
              attempt().then(
                async (answer) => `${answer.type} ${answer.status} ${(await answer.text()).slice(0, 40)}`,
                () => "refused",
              );
            const credentials = "include";
            const framed = await new Promise<string>((resolve) => {
              const frame = document.createElement("iframe");
              frame.onload = () => {
                try {
                  resolve(frame.contentDocument === null ? "closed" : `read ${frame.contentDocument.body.textContent}`);
                } catch {
                  resolve("closed");
                }
              };
              frame.src = url;
              document.body.append(frame);
            });
            return {
              key: localStorage.getItem("bir.key"),
              read: await tried(() => fetch(`${url}/api/runs`, { credentials })),
              guessed: await tried(() => fetch(`${url}/api/runs`, { credentials, headers: { "X-Bir-Key": "guess" } })),
              blind: await tried(() => fetch(`${url}/api/runs`, { credentials, mode: "no-cors" })),
              deleted: await tried(() => fetch(`${url}/api/runs/${run}`, { credentials, method: "DELETE" })),
              posted: await tried(() =>
                fetch(`${url}/recordings`, { credentials, mode: "no-cors", method: "POST", body: "{}" }),
              ),
              framed,
            };
          },
          { url: here.service.url, run: here.run(ASKED) },
        );
        expect(got).toEqual({
          key: null,
          read: "refused",
          guessed: "refused",
          blind: expect.stringMatching(/^refused$|^opaque 0 $/),
          deleted: "refused",
          posted: expect.stringMatching(/^refused$|^opaque 0 $/),
          framed: "closed",
        });
        // A form leads the browser there: to a refusal, not to a deed.
        await evil.evaluate((url) => {
          const form = document.createElement("form");
          form.method = "post";
          form.action = `${url}/api/runs`;
          document.body.append(form);
          form.submit();
        }, here.service.url);
        await evil.waitForURL(`${here.service.url}/**`);
        expect(await evil.content()).not.toContain(ASKED);
        expect(await evil.content()).toMatch(/40[135]/);
        await evil.close();
      }
      await page.reload();
      await untilCount(page.locator(".list-run"), 3);
      expect(missteps).toEqual([]);
    } finally {
      await attacker.stop(true);
    }
  });
});
