import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HttpRequest } from "../../src/upstream/http/http.ts";
import { SentNotice } from "../../src/upstream/http/sent-notice.ts";
import { TestClient, whole } from "../fakes/http/client.ts";
import { answer, RawHttpServer, type RawServerOptions } from "../fakes/http/raw-server.ts";

/** When a request is told to have left: once, and always, for whoever waits to go on after it. */

/** More than any system holds for a server that does not read. */
const LARGE = Buffer.alloc(30_000_000);
const EARLY = "HTTP/1.1 413 Payload Too Large\r\ncontent-length: 8\r\n\r\ntoo much";

let http: TestClient;
const servers: RawHttpServer[] = [];

beforeEach(() => {
  http = new TestClient();
});
afterEach(async () => {
  http.client.close();
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: RawServerOptions = {}): Promise<RawHttpServer> {
  const server = await RawHttpServer.start(options);
  servers.push(server);
  return server;
}

/** Takes nothing more of a request once a part of it has come, and does then what is said. */
function hasty(then: (socket: RawHttpServer["peers"][number]) => void): Promise<RawHttpServer> {
  return start({
    onConnection: (peer) => {
      peer.socket.once("data", () => {
        peer.socket.pause();
        then(peer);
      });
    },
  });
}

/** Sends; answers how often it was told by when the answer had been taken, or had failed. */
async function told(url: URL, request: Partial<HttpRequest> = {}): Promise<{ times: number; outcome: string }> {
  let times = 0;
  const onSent = (): void => void times++;
  const outcome = await http.send(url, { body: LARGE, onSent, ...request }).then(
    async (response) => {
      await whole(response);
      return `HTTP ${response.status}`;
    },
    ({ kind }) => kind as string,
  );
  // Nothing more is told behind it, when the connection has gone.
  await http.post((await start()).url(), "x");
  return { times, outcome };
}

describe("told once", () => {
  test("a request that was taken", async () => {
    expect(await told((await start()).url())).toEqual({ times: 1, outcome: "HTTP 200" });
    expect(await told((await start()).url(), { body: null })).toEqual({ times: 1, outcome: "HTTP 200" });
  });

  test("an answer before it was out", async () => {
    const server = await hasty((peer) => peer.write(EARLY));
    expect(await told(server.url())).toEqual({ times: 1, outcome: "HTTP 413" });
  });

  test("an answer before it was out, and the connection closed", async () => {
    const server = await hasty(
      (peer) => void peer.write(EARLY.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n")).then(() => peer.end()),
    );
    expect(await told(server.url())).toEqual({ times: 1, outcome: "HTTP 413" });
  });

  test("an answer before it was out that is no HTTP", async () => {
    const server = await hasty((peer) => peer.write("220 smtp\r\n"));
    expect(await told(server.url())).toEqual({ times: 1, outcome: "invalid" });
  });

  test("an answer before it was out that cannot be decompressed", async () => {
    const server = await hasty((peer) => peer.write("HTTP/1.1 200 OK\r\ncontent-encoding: x\r\n\r\n"));
    expect(await told(server.url())).toEqual({ times: 1, outcome: "invalid" });
  });

  test.each(["end", "reset"] as const)("the connection is lost before it was out (%s)", async (how) => {
    const server = await hasty((peer) => peer[how]());
    expect(await told(server.url())).toEqual({ times: 1, outcome: "lost" });
  });

  test("nobody listens", async () => {
    const server = await RawHttpServer.start();
    const url = server.url();
    await server.close();
    expect(await told(url)).toEqual({ times: 1, outcome: "unreachable" });
  });

  test("it cannot be written as a request", async () => {
    expect(await told(new URL("http://127.0.0.1/"), { headers: [["x", "a\nb"]] })).toEqual({
      times: 1,
      outcome: "invalid",
    });
    expect(await told(new URL("ftp://127.0.0.1/"))).toEqual({ times: 1, outcome: "invalid" });
  });

  test("given up before, while and after it was written", async () => {
    expect(await told((await start()).url(), { signal: AbortSignal.abort() })).toEqual({
      times: 1,
      outcome: "aborted",
    });
    const abort = new AbortController();
    const server = await hasty(() => abort.abort());
    expect(await told(server.url(), { signal: abort.signal })).toEqual({ times: 1, outcome: "aborted" });
    const later = new AbortController();
    const mute = await start({ script: () => later.abort() });
    expect(await told(mute.url(), { signal: later.signal })).toEqual({ times: 1, outcome: "aborted" });
  });

  test("the client is closed", async () => {
    let times = 0;
    const server = await hasty(() => http.client.close());
    const failure = http.send(server.url(), { body: LARGE, onSent: () => void times++ }).catch(({ kind }) => kind);
    expect([await failure, times]).toEqual(["lost", 1]);
  });

  test("nobody takes the rest of an answer that came before it was out", async () => {
    let times = 0;
    const server = await hasty((peer) => peer.write(EARLY.slice(0, -3)));
    const { body } = await http.send(server.url(), { body: LARGE, onSent: () => void times++ });
    expect(times).toBe(0);
    await body[Symbol.asyncIterator]().return?.();
    expect(times).toBe(1);
  });
});

describe("redirects", () => {
  const moved = (location: string): Buffer => answer("", { location }, "307 Moved");

  test("before it was out: told where it led to, when it is out there", async () => {
    const { promise: taken, resolve: taking } = Promise.withResolvers<RawHttpServer["peers"][number]>();
    const slow = await hasty(taking);
    const server = await hasty((peer) => peer.write(moved(slow.url("/to").href)));
    let times = 0;
    const sending = http.send(server.url(), { body: LARGE, onSent: () => void times++ });
    const peer = await taken;
    await http.post((await start()).url(), "x");
    expect(times).toBe(0);
    void peer.write(EARLY);
    expect((await sending).status).toBe(413);
    expect(times).toBe(1);
  });

  test("before it was out, to where nobody listens", async () => {
    const gone = await RawHttpServer.start();
    const location = gone.url().href;
    await gone.close();
    const server = await hasty((peer) => peer.write(moved(location)));
    expect(await told(server.url())).toEqual({ times: 1, outcome: "unreachable" });
  });

  test("before it was out, and not followed", async () => {
    const server = await hasty((peer) => peer.write(moved("mailto:x")));
    expect(await told(server.url())).toEqual({ times: 1, outcome: "invalid" });
  });
});

describe("the notice itself", () => {
  function noticed(): { notice: SentNotice; times: () => number } {
    let times = 0;
    return { notice: new SentNotice(() => void times++), times: () => times };
  }

  test("is told once, whatever comes after", () => {
    const { notice, times } = noticed();
    notice.begin()(true);
    expect(times()).toBe(1);
    notice.begin()(true);
    notice.last();
    notice.end();
    expect(times()).toBe(1);
  });

  test("waits for what follows where the first place took it in part", () => {
    const { notice, times } = noticed();
    notice.begin()(false);
    const written = notice.begin();
    notice.last();
    expect(times()).toBe(0);
    written(false);
    expect(times()).toBe(1);
  });

  test("does not wait where nothing follows", () => {
    const { notice, times } = noticed();
    notice.begin()(false);
    expect(times()).toBe(0);
    notice.last();
    expect(times()).toBe(1);
  });
});
