import { describe, expect, test } from "vitest";
import { ignoredNumbers, readNumber } from "../../src/kit/env-number.ts";

describe("variables that are numbers", () => {
  const timeout = (value?: string) =>
    readNumber(
      "BIR_UPSTREAM_CONNECT_TIMEOUT_MS",
      value === undefined ? {} : { BIR_UPSTREAM_CONNECT_TIMEOUT_MS: value },
    );

  test.each([
    ["1", 1],
    ["2500", 2500],
    ["007", 7],
    ["2147483647", 2147483647],
    ["99999999999999999999", 2147483647],
  ])("%j is %d", (value, expected) => {
    expect(timeout(value)).toBe(expected);
  });

  test.each([
    [undefined],
    [""],
    ["0"],
    ["-1"],
    ["1.5"],
    ["1e3"],
    ["10s"],
    [" 5"],
    ["0x10"],
    ["NaN"],
    ["Infinity"],
    ["٣"],
  ])("%j is no such number: the table's default holds", (value) => {
    expect(timeout(value)).toBe(10_000);
    expect(readNumber("BIR_UPSTREAM_MAX_MESSAGE_BYTES", {})).toBe(134_217_728);
  });

  test("those that are ignored can be told", () => {
    const env = { BIR_UPSTREAM_CONNECT_TIMEOUT_MS: "10s", BIR_UPSTREAM_MAX_MESSAGE_BYTES: "5", BIR_HOME: "x" };
    expect(ignoredNumbers(env)).toEqual([{ name: "BIR_UPSTREAM_CONNECT_TIMEOUT_MS", default: "10000" }]);
    expect(ignoredNumbers({})).toEqual([]);
  });
});
