import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CA_FILE, serverIdentity } from "../fakes/http/certificates.ts";
import { TestClient, whole } from "../fakes/http/client.ts";
import { answer, RawHttpServer, type RawRequest } from "../fakes/http/raw-server.ts";

/** Redirects on the wire: what the next server gets to see, and that none sees anything twice. */

let home: RawHttpServer;
let away: RawHttpServer;
let http: TestClient;

beforeAll(async () => {
  home = await RawHttpServer.start({ tls: serverIdentity() });
  away = await RawHttpServer.start();
});
beforeEach(() => {
  http = new TestClient({ env: { NODE_EXTRA_CA_CERTS: CA_FILE } });
  away.script = (_, peer) => void peer.write(answer("away"));
  for (const server of [home, away]) server.requests.length = 0;
});
afterEach(() => http.client.close());
afterAll(() => Promise.all([home.close(), away.close()]));

const REQUEST = {
  headers: [["Mcp-Session-Id", "7"]],
  credentials: [["Authorization", "Bearer t"]],
  body: Buffer.from("x"),
} as const;

/** `home` sends `/from` to `location`. */
function moved(location: string, status = 307, body = "gone, s3cr3t"): void {
  home.script = ({ target }, peer) =>
    void peer.write(target.startsWith("/from") ? answer(body, { location }, `${status} Moved`) : answer("home"));
}

const seen = ({ method, target, headers, body }: RawRequest) => [
  `${method} ${target}`,
  headers.get("mcp-session-id"),
  headers.get("authorization"),
  body.toString(),
];

describe.each([301, 302, 307, 308])("HTTP %i", (status) => {
  test("within the origin, everything goes along", async () => {
    moved("/to?y", status);
    expect((await whole(await http.send(home.url("/from?x"), REQUEST))).toString()).toBe("home");
    expect(home.requests.map(seen)).toEqual([
      ["POST /from?x", "7", "Bearer t", "x"],
      ["POST /to?y", "7", "Bearer t", "x"],
    ]);
  });

  test("to another origin, the credentials stay here", async () => {
    moved(away.url("/to").href, status);
    expect((await whole(await http.send(home.url("/from"), REQUEST))).toString()).toBe("away");
    expect(away.requests.map(seen)).toEqual([["POST /to", "7", undefined, "x"]]);
    expect(away.requests[0]?.headers.get("host")).toBe(`127.0.0.1:${away.port}`);
  });
});

test("sent is told once", async () => {
  moved("/to");
  let told = 0;
  const onSent = (): void => void told++;
  await whole(await http.send(home.url("/from"), { ...REQUEST, onSent }));
  expect(told).toBe(1);
});

test("a redirect whose body never ends is not waited for", async () => {
  home.script = ({ target }, peer) =>
    void peer.write(target === "/from" ? "HTTP/1.1 307 Moved\r\nlocation: /to\r\n\r\nwait" : answer("home"));
  expect((await whole(await http.send(home.url("/from"), REQUEST))).toString()).toBe("home");
  await home.until(({ requests }) => requests[0]?.peer.isClosed ?? false);
});

test.each([
  ["to another method", "/to", 303],
  ["from https to http", "http://example.test/?s3cr3t", 307],
  ["to what is no HTTP", "mailto:s3cr3t", 308],
])("%s: refused, its connection closed where an answer is open", async (_, location, status) => {
  home.script = (_request, peer) =>
    void peer.write(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\n\r\nwait, s3cr3t`);
  const failure = await http.send(home.url("/from"), REQUEST).catch((error) => error);
  expect(failure).toMatchObject({ kind: "invalid" });
  expect(failure.message).not.toContain("s3cr3t");
  expect(home.requests).toHaveLength(1);
  await home.until(({ openCount }) => openCount === 0);
});

test("in a circle: five are followed", async () => {
  home.script = (_, peer) => void peer.write(answer("", { location: "/from" }, "307 Moved"));
  await expect(http.send(home.url("/from"), REQUEST)).rejects.toMatchObject({
    kind: "invalid",
    message: "the server redirects more than 5 times",
  });
  expect(home.requests).toHaveLength(6);
});
