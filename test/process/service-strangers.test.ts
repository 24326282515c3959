/** Who gets nothing from a running service: other names, other pages, other users of the machine, and malformed requests. */

import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { SERVICE_ROUTES } from "../../src/core/api/service-routes.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import { ask, endService, recordRun, type Serving, startService } from "./service-process.ts";

/** Sends bytes, and answers all that came back until the other side closed. */
async function raw({ port }: Serving, text: string, host = "127.0.0.1"): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(port, host, () => socket.write(text));
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
  });
  socket.on("close", () => resolve(answer));
  socket.on("error", reject);
  return await promise;
}

function get(serving: Serving, path: string, headers: Record<string, string>): string {
  const all = { authorization: `Bearer ${serving.token}`, connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

const status = (answer: string) => Number(answer.slice(9, 12));

describe("a running service", () => {
  test("answers only requests for its own names, on both loopback addresses", async ({ box }) => {
    const serving = await startService(box);
    const { port } = serving;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect(status(await raw(serving, get(serving, "/api/runs", { host })))).toBe(200);
    }
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
      "x",
    ]) {
      for (const path of ["/", "/api/runs", "/health", "/openapi.json"]) {
        expect([host, status(await raw(serving, get(serving, path, { host })))]).toEqual([host, 403]);
      }
    }
    const six = await raw(serving, get(serving, "/health", { host: `[::1]:${port}` }), "::1").catch(
      () => "no IPv6 here",
    );
    expect(six === "no IPv6 here" || status(six) === 200).toBe(true);
    expect(await endService(serving)).toBe(0);
  });

  test("gives a page of another site nothing, whatever it has", async ({ box }) => {
    const serving = await startService(box);
    const host = `127.0.0.1:${serving.port}`;
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://localhost:${serving.port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      for (const path of ["/", "/api/runs", "/api/live", "/health"]) {
        const answer = await raw(serving, get(serving, path, { host, ...headers } as Record<string, string>));
        expect([path, headers, status(answer)]).toEqual([path, headers, 403]);
        expect(answer.toLowerCase()).not.toContain("access-control-");
      }
    }
    expect(await endService(serving)).toBe(0);
  });

  test("lets nobody ask any closed route without being let in", async ({ box }) => {
    const id = await recordRun(box);
    const serving = await startService(box);
    for (const { method, path, access } of Object.values(SERVICE_ROUTES)) {
      const at = path.replace("{runId}", id).replaceAll(/\{\w+\}/g, "0");
      const body = method === "POST" || method === "PATCH" ? { body: "{}" } : {};
      for (const authorization of [null, "Bearer x", `Bearer ${serving.token}x`]) {
        const answer = await ask(
          serving,
          at,
          { method, ...body },
          { authorization, "content-type": "application/json" },
        );
        const expected = access === "anyone" ? (method === "GET" ? 200 : 400) : 401;
        expect([method, at, answer.status]).toEqual([method, at, expected]);
        await answer.body?.cancel();
      }
    }
    expect((await ask(serving, `/api/runs/${id}`)).status).toBe(200);
    expect(await endService(serving)).toBe(0);
  });

  test("gives another user of the machine nothing", async ({ box, task }) => {
    needs(task.context, process.platform === "linux" && process.getuid?.() === 0, "another user needs root to be");
    await recordRun(box);
    const serving = await startService(box);
    const as = (...words: string[]) =>
      Bun.spawnSync([
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--bounding-set=-all",
        "--",
        ...words,
      ]);
    for (const name of ["service.json", "view/server.json", "recordings.db", "search.db"]) {
      const read = as("cat", join(box.birHome, name));
      expect([name, read.exitCode !== 0, read.stdout.toString()]).toEqual([name, true, ""]);
    }
    const script = `const a = await fetch("${serving.url}/api/runs"); console.log(a.status, await a.text())`;
    const seen = Bun.spawnSync([process.execPath, "-e", script], { env: { PATH: process.env.PATH ?? "" } });
    expect(seen.stdout.toString()).toBe(
      '401 {"title":"not let in, or not any more","status":401,"code":"unauthorized"}\n',
    );
    const listed = as("ps", "-eo", "args").stdout.toString();
    expect(listed).toContain("serve --port 0");
    expect(listed).not.toContain(serving.token);
    expect(await endService(serving)).toBe(0);
  });

  test("survives what is no request, and says so without repeating it", async ({ box }) => {
    const serving = await startService(box);
    const host = `127.0.0.1:${serving.port}`;
    for (const text of [
      "purple\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      `GET /%zz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      `GET /api/runs/%ff%fe HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${serving.token}\r\nconnection: close\r\n\r\n`,
      `GET //evil.example/ HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      `GET http://evil.example/api/runs HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      `CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      `GET / HTTP/1.1\r\nhost: ${host}\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
      `POST /session HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 5\r\nconnection: close\r\n\r\npurpl`,
    ]) {
      const answer = await raw(serving, text);
      expect(answer, text).not.toContain("purpl");
      expect(answer, text).not.toMatch(/^HTTP\/1\.1 [25]/);
    }
    expect((await ask(serving, "/health")).status).toBe(200);
    expect(await endService(serving)).toBe(0);
  });

  test("refuses a body over its bound, whether or not its length is told, before it holds all of it", async ({
    box,
  }) => {
    const serving = await startService(box);
    const large = "x".repeat(1024 * 1024);
    const told = await ask(
      serving,
      "/session",
      { method: "POST", body: large },
      { "content-type": "application/json" },
    );
    expect(told.status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 4; i++) controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });
    const untold = await ask(
      serving,
      "/session",
      { method: "POST", body: stream },
      { "content-type": "application/json" },
    );
    expect(untold.status).toBe(413);
    expect(await untold.json()).toMatchObject({ status: 413 });
    expect(await endService(serving)).toBe(0);
  });
});
