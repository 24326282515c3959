import { describe, expect, test } from "vitest";
import { proxyTold } from "../../src/control/proxy-told.ts";
import type { ProxyStep } from "../../src/control/recorder.ts";
import { proxyBatchSchema } from "../../src/core/api/control.ts";
import { stepText } from "./control-fixture.ts";

/** Payloads as they reach the recorder: the very text of the request. */

function toldOf(text: string): ProxyStep[] {
  return proxyTold(text, proxyBatchSchema.parse(JSON.parse(text)).reports) as ProxyStep[];
}

const batch = (...reports: string[]) => `{"proxyId":"p","reports":[${reports.join(",")}]}`;

describe("payloads of a call", () => {
  test.each([
    "12345678901234567890",
    "1e400",
    "-0",
    "1.0",
    '{"a":1,"a":2}',
    '{ "a" :\t[ 1 ,2 ] }',
    String.raw`"\ud800 \/ \u0041"`,
    '"reports\\":[{]}"',
    '{"args":{"args":1},"reports":[1]}',
    '"😀 \u2028"',
    `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  ])("are kept as they are written: %.60s", (json) => {
    const members = `"args":${json},"result":${json},"rpcError":${json},"hostMeta":${json}`;
    const [step] = toldOf(batch(stepText("r1", members)));
    expect([step?.args, step?.result, step?.rpcError, step?.hostMeta]).toEqual([json, json, json, json]);
  });

  test("that are null, or not there, are none", () => {
    const [step] = toldOf(batch(stepText("r1", '"args":null,"result": null')));
    expect(step).toMatchObject({ args: null, result: null, rpcError: null, hostMeta: null });
  });

  test("belong to their own call, whatever stands around it", () => {
    const gap = '{"kind":"gap","reportId":"g","at":1,"reason":"[{","lost":1}';
    const text = ` {"reports" : "x", "proxyId":"p","reports":[ ${stepText("a", '"args":1')} ,${gap}, ${stepText("b", '"args":2')}]} `;
    expect(toldOf(text).map(({ kind, reportId, args }) => [kind, reportId, args])).toEqual([
      ["step", "a", "1"],
      ["gap", "g", undefined],
      ["step", "b", "2"],
    ]);
  });

  test("are the last where a member repeats, as everything else of it is", () => {
    const [step] = toldOf(batch(stepText("r1", '"args":1,"status":"error","\\u0061rgs":2.0')));
    expect(step).toMatchObject({ args: "2.0", status: "error" });
  });

  test("are none of those of a member that is no list any more", () => {
    expect(() => toldOf(`{"proxyId":"p","reports":[${stepText("a")}],"reports":{}}`)).toThrow();
  });
});

test("a call is its own reference unless it names one", () => {
  const [first, second] = toldOf(batch(stepText("r1"), stepText("r2", '"callRef":"r1"')));
  expect([first?.callRef, second?.callRef]).toEqual(["r1", "r1"]);
});
