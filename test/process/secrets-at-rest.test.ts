/**
 * Secrets pass through a session in every place that a protocol has for them. They reach the other side untouched, and no
 * file, log or command line ever holds one.
 */

import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { test } from "../harness/process-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { runTurns, type Turn } from "../harness/transcript.ts";
import { ComparedSession, callLine } from "./faults/compared-session.ts";
import { closedSteps, storedRuns, untilStored } from "./faults/stored-runs.ts";

/** Made up; put together from parts, so that no scanner of sources takes them for real. */
const SECRETS = {
  password: 'Tr0ub4dor&3 "correct" \\horse\\ bättery',
  openai: `sk-proj-${"a8Xk2Lq9Zt4Vb7Nm1Rc6"}${"Ws3Yd5Fg0Hj8Kp2Qe4Tu"}`,
  anthropic: `sk-ant-api03-${"Jd83hKs92LmQpz74VbXyTr10"}${"NcWeAs56UiOpGhFd"}`,
  github: `ghp_${"R4tYu7IoP2aSdF5gHj8K"}${"lZxC1vBnM3qWeR6t"}`,
  awsKeyId: `AKIA${"Q7RT2ZXPLM5VNB4K"}`,
  awsSecret: `${"wJalrXUtnFEMI"}/${"K7MDENG"}/${"bPxRfiCYz8Qp3LkV2s"}`,
  slack: `xoxb-${"482913750264"}-${"593817264501"}-${"aBcDeFgHiJkLmNoPqRsTuVwX"}`,
  google: `AIza${"SyD4kf93jKLm20vbQpXr"}${"7TzWn5Yc8HgUeAs1"}`.slice(0, 39),
  jwt: [
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
    "eyJzdWIiOiI3NDE4NTIiLCJzY29wZSI6ImFkbWluOmFsbCJ9",
    "q3VJb0kXw7ZrT1nYe5LgHs8PdMc2UaFi4ObKxQvRjWt",
  ].join("."),
  bearer: "Vq8sKd02mXz7Pn4LtRy61bWc",
  databasePassword: "pg9Xw-4zQm7_Lk2",
  clientSecret: "GOCSPX-9kQz3LmV7tXb2RnY5wPd8HsJ",
  cookie: "s%3Aq8ZkL2mXv9RtPw4NbYc7.Hd5Js1GfKa3Qe6Uo0Ti",
  privateKey: "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
} as const;

const PEM = `-----BEGIN PRIVATE KEY-----\n${SECRETS.privateKey}\n-----END PRIVATE KEY-----`;

/** Every secret, each in a place where it can be known for one. */
const PAYLOAD = {
  user: "someone",
  password: SECRETS.password,
  api_key: SECRETS.openai,
  note: `use ${SECRETS.anthropic} and, if that fails, ${SECRETS.github}.`,
  aws: { access_key_id: SECRETS.awsKeyId, secret_access_key: SECRETS.awsSecret },
  hooks: [`https://hooks.example.com/?token=${SECRETS.slack}`, SECRETS.google],
  headers: { Authorization: `Bearer ${SECRETS.bearer}`, Cookie: `session=${SECRETS.cookie}` },
  env: { DATABASE_URL: `postgres://app:${SECRETS.databasePassword}@db.example.com:5432/app`, ID_TOKEN: SECRETS.jwt },
  file: JSON.stringify({ client_secret: SECRETS.clientSecret, installed: true }),
  pem: PEM,
};

/** The forms in which a secret could lie in a file. */
function forms(secret: string): [form: string, bytes: Buffer][] {
  const texts: [string, string][] = [
    ["raw", secret],
    ["JSON", JSON.stringify(secret).slice(1, -1)],
    ["JSON in JSON", JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    [
      "ASCII JSON",
      JSON.stringify(secret)
        .slice(1, -1)
        .replaceAll(/[^ -~]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    ["URL", encodeURIComponent(secret)],
    ["hex", Buffer.from(secret).toString("hex")],
  ];
  // Base64 of a text that holds the secret somewhere: what the neighbours cannot change of it, at each alignment.
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString("base64");
    texts.push([`base64+${offset}`, encoded.slice(offset === 0 ? 0 : 4, Math.floor(encoded.length / 4 - 1) * 4)]);
  }
  const found = texts.map(([form, text]): [string, Buffer] => [form, Buffer.from(text)]);
  return [...found, ["UTF-16", Buffer.from(secret, "utf16le")]];
}

const FORMS = Object.entries(SECRETS).flatMap(([name, secret]) =>
  forms(secret).map(([form, bytes]) => ({ name, form, bytes })),
);

/** Which secrets are in these bytes. */
function secretsIn(bytes: Buffer): string[] {
  return FORMS.filter(({ bytes: secret }) => bytes.includes(secret)).map(({ name, form }) => `${name} (${form})`);
}

/** The files below a directory. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Looks for secrets in everything that the session can have written; answers the number of files. */
function expectNoSecretIn(directories: readonly string[]): number {
  const files = directories.flatMap(filesIn);
  const found = files.flatMap((file) => secretsIn(readFileSync(file)).map((secret) => `${file}: ${secret}`));
  expect(found).toEqual([]);
  return files.length;
}

function expectNoSecretOnACommandLine(box: Sandbox): void {
  const lines = box.survivors();
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(
    lines.flatMap(({ command }) => secretsIn(Buffer.from(command)).map((secret) => `${command}: ${secret}`)),
  ).toEqual([]);
}

function expectPrivate(birHome: string): void {
  const modes = readdirSync(birHome).map((name) => [name, (statSync(join(birHome, name)).mode & 0o777).toString(8)]);
  expect(modes).toEqual(modes.map(([name]) => [name, "600"]));
  expect((statSync(birHome).mode & 0o777).toString(8)).toBe("700");
}

/** Secrets that a host puts into the environment of everything it starts. */
const ENVIRONMENT = {
  OPENAI_API_KEY: SECRETS.openai,
  GITHUB_TOKEN: SECRETS.github,
  AWS_SECRET_ACCESS_KEY: SECRETS.awsSecret,
  DATABASE_PASSWORD: SECRETS.databasePassword,
  BIR_UPSTREAM_HEADERS: JSON.stringify({ Authorization: `Bearer ${SECRETS.bearer}` }),
  BIR_DEBUG: "all",
};

/** Our own words on stderr, which must not quote what passes; the server's come with its name before them. */
const ownWords = (host: RunningProcess) => host.stderr.lines().filter((line) => !line.startsWith("[fake] "));

describe("secrets", () => {
  test("are found by this test where they are", () => {
    expect(secretsIn(Buffer.from(JSON.stringify(PAYLOAD)))).toEqual(
      expect.arrayContaining(
        Object.keys(SECRETS)
          .filter((name) => !["password", "cookie"].includes(name))
          .map((name) => `${name} (raw)`),
      ),
    );
    expect(secretsIn(Buffer.from(JSON.stringify(PAYLOAD)))).toContain("password (JSON)");
    for (const before of ["", "x", "xy"]) {
      const encoded = Buffer.from(`${before}${SECRETS.github} and more`).toString("base64");
      expect(secretsIn(Buffer.from(encoded))).toEqual([expect.stringMatching(/^github \(base64/)]);
    }
  });

  test("in arguments, results, errors, names, _meta, stderr and the environment are nowhere at rest", async ({
    box,
  }) => {
    const tmp = join(box.directory, "tmp");
    const cwd = join(box.cwd, SECRETS.github);
    for (const directory of [tmp, cwd]) mkdirSync(directory);
    const session = new ComparedSession(box, {
      env: { ...ENVIRONMENT, TMPDIR: tmp },
      cwd,
      wrap: ["sh", "-c", 'umask 0; exec "$@"', "sh"],
    });
    const where = [box.home, box.cwd, tmp];
    await session.request("hello", "initialize", {
      protocolVersion: "2025-11-25",
      clientInfo: { name: "host", version: SECRETS.jwt },
    });
    await session.call(1, "echo", PAYLOAD);
    await session.call(2, "echo", {
      text: `-H 'Authorization: Bearer ${SECRETS.bearer}' password=${SECRETS.clientSecret}`,
    });
    await session.call(3, "fail", { text: `401 for key ${SECRETS.openai}\n${PEM}` });
    await session.call(4, SECRETS.slack, { secret: SECRETS.bearer });
    await session.call(5, "stderr", { text: `connecting with ${SECRETS.github}\n` });
    await session.call(6, "env", { name: "GITHUB_TOKEN" });
    await session.say(
      `${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "meta", arguments: {}, _meta: { ...PAYLOAD, "claudecode/toolUseId": "toolu_1", sessionId: SECRETS.jwt } } })}\n`,
    );
    await session.host.stdout.untilAnswer(7);
    const padding = "no secret in this line\n".repeat(10_000);
    await session.call(8, "echo", { start: PAYLOAD, padding, end: PAYLOAD });
    await session.say(callLine(9, "never", PAYLOAD));
    await session.say(`password=${SECRETS.clientSecret}\n`);
    await untilStored("the calls", () => closedSteps(box.birHome) === 8);
    expectNoSecretOnACommandLine(box);
    expect(expectNoSecretIn(where)).toBeGreaterThanOrEqual(3);
    expectPrivate(box.birHome);

    await session.finish();
    expect(expectNoSecretIn(where)).toBeGreaterThanOrEqual(1);
    expectPrivate(box.birHome);
    expect(secretsIn(session.host.stdout.bytes())).toEqual(expect.arrayContaining(["openai (raw)", "awsSecret (raw)"]));
    expect(secretsIn(Buffer.from(ownWords(session.host).join("\n")))).toEqual([]);
    // What was recorded is still a record.
    const [run] = storedRuns(box.birHome);
    expect(run?.steps).toHaveLength(9);
    expect(run?.steps[0]?.args).toMatchObject({ user: "someone", password: expect.stringMatching(/^\[REDACTED:/) });
  });

  test("in protocol errors, structured results, progress and questions are nowhere at rest", async ({ box }) => {
    const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    const call = (id: number, meta: object = {}) =>
      line({ id, method: "tools/call", params: { name: "t", arguments: {}, _meta: { progressToken: id, ...meta } } });
    const turns: Turn[] = [
      { up: call(1) },
      { down: line({ id: 1, error: { code: -32000, message: `bad key ${SECRETS.openai}`, data: PAYLOAD } }) },
      { up: call(2) },
      {
        down: line({
          method: "notifications/progress",
          params: { progressToken: 2, progress: 1, message: SECRETS.jwt },
        }),
      },
      { down: line({ method: "notifications/message", params: { level: "info", data: PAYLOAD } }) },
      { down: line({ id: 2, result: { content: [], structuredContent: PAYLOAD, _meta: PAYLOAD } }) },
      { up: call(3) },
      { down: line({ id: "q", method: "elicitation/create", params: { message: "Password?", default: PAYLOAD } }) },
      { up: line({ id: "q", result: { action: "accept", content: PAYLOAD } }) },
      {
        down: line({
          id: 3,
          result: {
            content: [
              { type: "resource", resource: { uri: `https://u:${SECRETS.databasePassword}@example.com/`, text: PEM } },
              { type: "text", text: JSON.stringify(PAYLOAD) },
            ],
            isError: true,
          },
        }),
      },
      { up: call(4, { "io.modelcontextprotocol/clientInfo": { name: SECRETS.github, version: "1" } }) },
      { up: line({ method: "notifications/cancelled", params: { requestId: 4, reason: SECRETS.slack } }) },
      { up: call(5) },
      {
        down: line({
          id: 5,
          result: { resultType: "input_required", requestState: SECRETS.jwt, inputRequests: { a: {} } },
        }),
      },
    ];
    const { exit } = await runTurns(box, { name: "recording", flags: [], env: ENVIRONMENT }, turns);
    expect(exit).toEqual({ code: 0, signal: null });
    expect(expectNoSecretIn([box.home, box.cwd])).toBeGreaterThanOrEqual(1);
    expect(storedRuns(box.birHome)[0]?.steps.map((step) => step.status)).toEqual([
      "error",
      "ok",
      "error",
      "cancelled",
      "lost",
    ]);
  });

  test("of a store that was set aside, or of a session that was killed, are nowhere at rest either", async ({
    box,
  }) => {
    const host = box.startProxy(box.fake("--quiet"), { env: ENVIRONMENT });
    await host.call(1, "echo", PAYLOAD);
    await untilStored("the call", () => closedSteps(box.birHome) === 1);
    host.signal("SIGKILL");
    await host.exit();
    expect(expectNoSecretIn([box.home, box.cwd])).toBeGreaterThanOrEqual(3);
    expectPrivate(box.birHome);
  });
});
