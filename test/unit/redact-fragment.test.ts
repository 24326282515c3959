import { describe, expect, test } from "vitest";
import { endsInsideSecret, redactFragment } from "../../src/redact/fragment.ts";
import { filler, pemLine } from "../corpus/filler.ts";

const head = (text: string): string => redactFragment(text, { cutStart: false, cutEnd: true });
const tail = (text: string): string => redactFragment(text, { cutStart: true, cutEnd: false });
const BODY = filler("fragment", 64, "base64");

describe("a head", () => {
  test("masks a value that is not over", () => {
    expect(head('{"a":1,"password":"hun')).toBe('{"a":1,"password":"[REDACTED:key]');
    expect(head('{"a":"{\\"password\\":\\"hun')).toBe('{"a":"{\\"password\\":\\"[REDACTED:key]');
    expect(head('{"env":{"A":"b","C":"d')).toBe('{"env":{"A":"[REDACTED:env]","C":"[REDACTED:env]');
    expect(head("x\nDB_PASSWORD=ab")).toBe("x\nDB_PASSWORD=[REDACTED:key]");
    expect(head("postgres://app:s3c")).toBe("postgres://app:[REDACTED:url-credentials]");
    expect(head("Authorization: Bearer ab")).toBe("Authorization: Bearer [REDACTED:key]");
    expect(head(`${pemLine("BEGIN")}\n${BODY}\n${BODY.slice(0, 9)}`)).toBe("[REDACTED:private-key]");
  });

  test("drops a token that is not over, and keeps what cannot be one", () => {
    expect(head('{"text":"use ghp_abcd')).toBe('{"text":"use ');
    expect(head("one two three ")).toBe("one two three ");
    const data = `{"data":"${filler("image", 20_000, "base64")}`;
    expect(head(data).length).toBeGreaterThan(data.length - 5000);
  });
});

describe("a tail", () => {
  test("starts after what may have begun before it", () => {
    expect(tail('ter2","x":"kept"}')).toBe('","x":"kept"}'.slice(1));
    expect(tail("ter2\nkept")).toBe("kept");
    expect(tail("word in a long sentence without any end")).toBe("long sentence without any end");
  });

  test("drops the value of a key that was cut", () => {
    expect(tail('word":"hunter2","x":"kept"}')).not.toContain("hunter2");
    expect(tail('":"hunter2","x":"kept"}')).toContain("kept");
    expect(tail(':"hunter2","x":"kept"}')).not.toContain("hunter2");
    expect(tail('"hunter2","x":"kept"}')).not.toContain("hunter2");
    expect(tail('nv":{"A":"secret-a","B":["secret-b"]},"x":"kept"}')).toMatch(
      /^\{"A":"\[REDACTED:key\]","B":\["\[REDACTED:key\]"\]\},"x":"kept"/,
    );
  });

  test("masks the end of a private key", () => {
    expect(tail(`${BODY.slice(30)}\n${BODY}\n${pemLine("END", "RSA PRIVATE KEY")}\nkept`)).toBe(
      "[REDACTED:private-key]\nkept",
    );
  });
});

describe("whether a head ends inside a secret", () => {
  test.each([
    '{"password":"hun',
    '{"password":"',
    '{"password":',
    '{"password" : ',
    '{"env":{',
    '{"env":{"A":"b",',
    '{"env":{"A"',
    '{"headers":{"X":"y"',
    '{"a":"{\\"secret\\":\\',
    '{"credentials":[1,2',
    '[{"name":"DB_PASSWORD","type":"x",',
    '[{"name":"DB_PASSWORD","value":"ab',
    "DB_PASSWORD=ab",
    "password: ",
    "run --token ",
    `${pemLine("BEGIN")}\n${BODY}`,
  ])("%s", (text) => {
    expect(endsInsideSecret(text)).toBe(true);
  });

  test.each([
    '{"password":"hunter2",',
    '{"env":{"A":"b"},"x":"long te',
    '{"text":"about passwords',
    "plain text",
    '{"max_tokens":',
    "",
    '{"a":',
  ])("not %s", (text) => {
    expect(endsInsideSecret(text)).toBe(false);
  });
});
