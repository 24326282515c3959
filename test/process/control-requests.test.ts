/** What reaches the control server's port: other users' programs, pages in a browser, broken senders, and very many of us. */

import { randomBytes } from "node:crypto";
import { describe, expect } from "vitest";
import { Deadline } from "../harness/deadline.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import { hookReport, registration, stepText } from "../unit/control-fixture.ts";
import { ask, discoveryOf, endServer, head, RawConnection, serverLog, startServer } from "./control-process.ts";

const MIB = 1024 * 1024;

/** Memory that a process holds, in MiB. */
async function memoryMib(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

describe("a request is refused", () => {
  test("under another host's name, or from a page, with the token or without", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    const { host, port } = new URL(discovery.url);
    const raw = async (lines: readonly string[], version = "1.1") => {
      const connection = new RawConnection(discovery.url);
      await connection.send(`${[`GET /health HTTP/${version}`, ...lines].join("\r\n")}\r\n\r\n`);
      const status = await connection.status();
      connection.close();
      return status;
    };
    const token = `Authorization: Bearer ${discovery.token}`;
    expect(await raw([`Host: ${host}`, token])).toBe(200);
    expect(await raw([`Host: localhost:${port}`, token])).toBe(200);
    for (const name of ["evil.example", "127.0.0.1", `evil.example:${port}`, `0.0.0.0:${port}`, ""]) {
      expect(await raw([`Host: ${name}`, token]), name).toBe(403);
    }
    expect(await raw([`Host: ${host}`, "Host: evil.example", token])).toBe(403);
    expect(await raw([token], "1.0")).toBe(403);
    for (const origin of ["http://evil.example", "null", discovery.url]) {
      expect(await raw([`Host: ${host}`, token, `Origin: ${origin}`]), origin).toBe(403);
    }
    expect(await raw([`Host: ${host}`])).toBe(401);
    expect(await raw([`Host: ${host}`, `Authorization: Bearer ${discovery.token.slice(1)}`])).toBe(401);
    // A target that names a host is no way round.
    const absolute = new RawConnection(discovery.url);
    await absolute.send(`GET ${discovery.url}/health HTTP/1.1\r\nHost: evil.example\r\n${token}\r\n\r\n`);
    expect(await absolute.status()).toBe(403);
    absolute.close();
    expect(await endServer(server)).toBe(0);
  });

  test("that is no HTTP, and the next one is answered", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    const noise = [
      "\r\n\r\n\r\n",
      "GET /\0 HTTP/9.9\r\n\r\n",
      "{}\n",
      `POST /tool/pre HTTP/1.1\r\n${"x".repeat(100_000)}`,
    ];
    for (const bytes of [...noise, randomBytes(4096)]) {
      const connection = new RawConnection(discovery.url);
      await connection.send(bytes);
      connection.close();
    }
    expect((await ask(discovery, "/health")).status).toBe(200);
    expect(await endServer(server)).toBe(0);
  });
});

describe("a body", () => {
  test("over the bound is refused, with its length told or not, and is not kept", async ({ box, task }) => {
    needs(task.context, process.platform === "linux", "memory is read from /proc");
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    const before = await memoryMib(server.pid);
    const piece = Buffer.alloc(MIB, 0x20);
    const chunk = Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
    for (const [path, sizeMib] of [
      ["/tool/pre", 33],
      ["/proxy/register", 33],
      ["/proxy/step", 65],
      ["/proxy/step", 300],
    ] as const) {
      // Written whole, without a look at what comes, as our own senders do: each has to learn that it was refused.
      const told = new RawConnection(discovery.url);
      await told.send(head(discovery, "POST", path, [`Content-Length: ${sizeMib * MIB}`]));
      for (let sent = 0; sent < sizeMib; sent++) await told.send(piece);
      expect(await told.status(), `${path} ${sizeMib} MiB`).toBe(413);
      expect(await told.closed()).toBe(true);
      const untold = new RawConnection(discovery.url);
      await untold.send(head(discovery, "POST", path, ["Transfer-Encoding: chunked"]));
      for (let sent = 0; sent < sizeMib; sent++) await untold.send(chunk);
      await untold.send("0\r\n\r\n");
      expect(await untold.status(), `${path} ${sizeMib} MiB in chunks`).toBe(413);
      expect(await untold.closed()).toBe(true);
    }
    expect((await ask(discovery, "/health")).status).toBe(200);
    expect((await memoryMib(server.pid)) - before).toBeLessThan(400);
    expect(await endServer(server)).toBe(0);
  });

  test("up to the bound is taken whole", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    const { proxyId } = JSON.parse((await ask(discovery, "/proxy/register", registration())).text);
    const result = JSON.stringify({ content: [{ type: "text", text: "x".repeat(30 * MIB) }] });
    const body = `{"proxyId":"${proxyId}","reports":[${stepText(Bun.randomUUIDv7(), `"result":${result}`)}]}`;
    expect(await ask(discovery, "/proxy/step", body)).toEqual({ status: 200, text: '{"accepted":1}' });
    expect(await endServer(server)).toBe(0);
  });

  test("that is without a token is not even read", async ({ box }) => {
    const server = await startServer(box);
    const discovery = { ...discoveryOf(box), token: "wrong" };
    const connection = new RawConnection(discovery.url);
    await connection.send(head(discovery, "POST", "/proxy/step", [`Content-Length: ${50 * MIB}`]));
    expect(await connection.status()).toBe(401);
    connection.close();
    expect(await endServer(server)).toBe(0);
  });

  test("that does not come keeps nobody waiting, and does not keep the server from leaving", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    const slow = Array.from({ length: 100 }, () => new RawConnection(discovery.url));
    for (const [index, connection] of slow.entries()) {
      const whole = head(discovery, "POST", "/tool/pre", ["Content-Length: 100"]);
      await connection.send(index % 2 === 0 ? `${whole}{` : whole.slice(0, -10));
    }
    for (let n = 0; n < 50; n++) expect((await ask(discovery, "/tool/pre", hookReport(`r${n}`))).status).toBe(200);
    expect(await endServer(server)).toBe(0);
    for (const connection of slow) expect(await connection.closed()).toBe(true);
  });

  test("that breaks off changes nothing", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    for (let n = 0; n < 50; n++) {
      const text = JSON.stringify(hookReport(`r${n}`));
      const connection = new RawConnection(discovery.url);
      await connection.send(
        head(discovery, "POST", "/tool/pre", [`Content-Length: ${text.length}`]) + text.slice(0, n),
      );
      connection.close();
    }
    expect((await ask(discovery, "/health")).status).toBe(200);
    expect(serverLog(box)).not.toContain("fault");
    expect(await endServer(server)).toBe(0);
  });
});

describe("many at once", () => {
  test("five hundred requests are all answered, on as many connections", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, index) => {
        const fact = { sessionId: `session-${index % 20}`, toolUseId: `toolu_${index}` };
        return ask(discovery, "/tool/pre", hookReport(Bun.randomUUIDv7(), Date.now(), fact));
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(500);
    expect(serverLog(box)).not.toContain("fault");
    expect(await endServer(server)).toBe(0);
  });

  test("requests one behind the other on one connection are answered in their order", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    const connection = new RawConnection(discovery.url);
    const report = JSON.stringify(hookReport("r1"));
    const one = head(discovery, "POST", "/tool/pre", [`Content-Length: ${Buffer.byteLength(report)}`]) + report;
    const wrong = head(discovery, "POST", "/nowhere", ["Content-Length: 0"]);
    await connection.send(one + wrong + one + wrong);
    const deadline = new Deadline();
    const statuses = () => [...connection.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    while (statuses().length < 4 && (await deadline.race(Bun.sleep(5)))) await connection.status();
    expect(statuses()).toEqual([200, 404, 200, 404]);
    connection.close();
    expect(await endServer(server)).toBe(0);
  });

  test("a connection that is kept is not cut while it waits", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    const connection = new RawConnection(discovery.url);
    await connection.send(head(discovery, "GET", "/health"));
    expect(await connection.status()).toBe(200);
    // Longer than the time after which the runtime cuts idle connections unless told otherwise.
    expect(await connection.closed(new Deadline(12_000))).toBe(false);
    connection.text = "";
    await connection.send(head(discovery, "GET", "/health"));
    expect(await connection.status()).toBe(200);
    connection.close();
    expect(await endServer(server)).toBe(0);
  });
});
