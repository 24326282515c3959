import { describe, expect, onTestFinished, test } from "vitest";
import { retryAfter, ServiceClient } from "../../src/sinks/base-in/service-client.ts";
import { verdictOf } from "../../src/sinks/base-in/verdict.ts";
import { HttpService, type NetworkFault } from "../fakes/recordings-service/http-service.ts";
import { T0 } from "./cli-fixture.ts";

/** Requests to a service over real sockets, and what its answers are taken to mean. */

async function world(
  fault: NetworkFault = "none",
  { token = "the-token-of-the-service", answerTimeoutMs = 5000 } = {},
) {
  const service = await HttpService.start();
  service.fault = () => fault;
  // Our own client goes straight to this machine, whatever the environment names.
  const env = { HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9" };
  const client = new ServiceClient({ url: service.url, token, env, now: () => T0, answerTimeoutMs });
  onTestFinished(async () => {
    client.close();
    await service.close();
  });
  return { service, client };
}

const RUN = JSON.stringify({ id: "run_a", input: "é", metadata: {} });

describe("a request", () => {
  test("carries the token in its header, its body as it is, and is answered with a status", async () => {
    const { service, client } = await world();
    expect(await client.write("POST", "/recordings/runs", RUN)).toMatchObject({ kind: "status", status: 201 });
    expect(service.seen[0]).toMatchObject({ method: "POST", path: "/recordings/runs", body: RUN });
    expect(service.seen[0]?.headers).toContain("authorization: Bearer the-token-of-the-service");
    expect(await client.write("PATCH", "/recordings/runs/run_b/steps/x", "{}")).toMatchObject({ status: 404 });
  });

  test("uses one connection after another request, also where the answer is slow", async () => {
    const { service, client } = await world("slow");
    for (let n = 0; n < 3; n++)
      expect(await client.write("POST", "/recordings/runs", RUN)).toMatchObject({ kind: "status" });
    expect(service.seen).toHaveLength(3);
  });

  test("tells another bir from others", async () => {
    const { service, client } = await world();
    expect(await client.ask()).toMatchObject({ isOfBir: true });
    service.kept.isBir = false;
    expect(await client.ask()).toMatchObject({ isOfBir: false, status: 404 });
  });

  test.each<[NetworkFault, RegExp]>([
    ["hang", /^no answer within 0 s$/],
    ["reset", /connection/],
    ["closes", /connection/],
    ["garbage", /./],
  ])("that meets %s comes back in words", async (fault, words) => {
    const { client } = await world(fault, { answerTimeoutMs: 200 });
    const answer = await client.write("POST", "/recordings/runs", RUN);
    expect(answer.kind).toBe("none");
    if (answer.kind === "none") expect(answer.why).toMatch(words);
    expect(verdictOf(answer).kind).toBe("trouble");
  });

  test("to nobody comes back in words", async () => {
    const { service, client } = await world();
    await service.close();
    expect(await client.write("POST", "/recordings/runs", RUN)).toEqual({ kind: "none", why: "connection refused" });
  });

  test("that is redirected goes nowhere else, and neither does the token", async () => {
    const elsewhere = await HttpService.start();
    onTestFinished(async () => await elsewhere.close());
    for (const status of [301, 302, 303, 307, 308]) {
      const { client } = await world({ status, headers: [`location: ${elsewhere.url}/recordings/runs`] });
      expect(verdictOf(await client.write("POST", "/recordings/runs", RUN))).toMatchObject({ kind: "trouble", status });
    }
    expect(elsewhere.seen).toEqual([]);
  });

  test.each([
    [{ status: 200, body: "\n <!doctype html><title>Sign in</title>" }, true],
    [{ status: 200, body: "Sign in", headers: ["content-type: text/html; charset=utf-8"] }, true],
    [{ status: 200, body: `"${"x".repeat(70_000)}"` }, true],
    [{ status: 201, body: '{"id":"<p>"}', headers: ["content-type: application/json"] }, false],
    [{ status: 201, body: "" }, false],
    [{ status: 204, body: "" }, false],
  ])("answered with %o is taken for what it is", async (fault, isPage) => {
    const { client } = await world(fault);
    const answer = await client.write("POST", "/recordings/runs", RUN);
    expect(answer).toMatchObject({ kind: "status", isPage });
    expect(verdictOf(answer).kind).toBe(isPage ? "trouble" : "taken");
  });

  test("given up when the client closes", async () => {
    const { client } = await world("hang");
    const answer = client.write("POST", "/recordings/runs", RUN);
    client.close();
    expect(await answer).toMatchObject({ kind: "none" });
  });
});

describe("an answer", () => {
  const verdict = (status: number, retryAfterMs: number | null = null) =>
    verdictOf({ kind: "status", status, retryAfterMs, isOfBir: false, isPage: false });

  test("means what the contract says", () => {
    expect([200, 201, 202, 204].map((status) => verdict(status).kind)).toEqual(["taken", "taken", "taken", "taken"]);
    expect([400, 409, 413, 422].map((status) => verdict(status).kind)).toEqual([
      "refused",
      "refused",
      "refused",
      "refused",
    ]);
    expect([401, 403].map((status) => verdict(status).kind)).toEqual(["sign-in", "sign-in"]);
    expect(verdict(404).kind).toBe("unknown");
    expect(verdict(429)).toMatchObject({ kind: "wait", ms: 5000 });
    expect(verdict(429, 90_000)).toMatchObject({ kind: "wait", ms: 90_000 });
    expect(verdict(503, 7000)).toMatchObject({ kind: "trouble", ms: 7000 });
    expect([302, 405, 408, 410, 451, 500, 599].map((status) => verdict(status).kind)).toEqual(Array(7).fill("trouble"));
  });

  test("may say when to come again, in seconds or as a date", () => {
    expect(retryAfter("120", T0)).toBe(120_000);
    expect(retryAfter(new Date(T0 + 60_000).toUTCString(), T0)).toBe(60_000);
    expect(retryAfter(new Date(T0 - 60_000).toUTCString(), T0)).toBe(0);
    for (const nonsense of [undefined, "", "soon", "-5", "1.5", "99999999999"])
      expect(retryAfter(nonsense, T0)).toBeNull();
  });
});
