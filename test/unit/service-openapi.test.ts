/** The document of the service: every route is in it, it is what OpenAPI says it must be, and answers are what it says. */

import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { OPEN_API_DOCUMENT } from "../../docs/generate.ts";
import { indexStateSchema, liveRunsSchema } from "../../src/core/api/service.ts";
import { SERVICE_ROUTES } from "../../src/core/api/service-routes.ts";
import type { EventPage, HitPage, RunPage } from "../../src/core/service-wire.ts";
import { openApiText } from "../../src/service/open-api-text.ts";
import { eventfulRun, RUN_A, RUN_B, RunWriter, T0, text } from "./cli-fixture.ts";
import { TestService } from "./service-fixture.ts";
import { SentEvents } from "./service-sse.ts";

interface Operation {
  operationId: string;
  security: object[];
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const document = JSON.parse(openApiText()) as Document;

describe("the document", () => {
  test("is the one in docs/", () => {
    expect(readFileSync(OPEN_API_DOCUMENT, "utf8"), "run: bun docs/generate.ts").toBe(openApiText());
  });

  test("is valid OpenAPI 3.1, and a broken one would not be", async () => {
    expect(await new Validator().validate(JSON.parse(openApiText()))).toEqual({ valid: true });
    const broken = JSON.parse(openApiText());
    broken.paths["/health"].get.responses = [];
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  test("has every route, and no other", () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    const routes = Object.entries(SERVICE_ROUTES).map(([name, { method, path }]) => `${name} ${method} ${path}`);
    expect(described.sort()).toEqual(routes.sort());
  });

  test("names each part of a path, and says who may ask", () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const operation of Object.values(operations)) {
        const named = operation.parameters.filter((one) => one.in === "path");
        expect(named.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
        expect(named.every(({ required }) => required)).toBe(true);
        const { access, body } = SERVICE_ROUTES[operation.operationId as keyof typeof SERVICE_ROUTES];
        expect(operation.security).toHaveLength({ anyone: 0, program: 1, reader: 2 }[access]);
        expect(operation.requestBody !== undefined).toBe(body !== null);
      }
    }
  });

  test("is served", async () => {
    const service = new TestService();
    expect(await (await service.ask("/openapi.json")).text()).toBe(openApiText());
  });
});

describe("answers", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });

  beforeAll(() => {
    ajv.addSchema({ ...document, $id: "bir" });
  });

  /** What the document's schema for an answer has against a value. */
  function flaws(operationId: string, status: number, type: string, value: unknown): unknown {
    const operation = Object.values(document.paths)
      .flatMap((operations) => Object.values(operations))
      .find((one) => one.operationId === operationId);
    const schema = operation?.responses[status]?.content?.[type]?.schema;
    if (schema === undefined) return `${operationId} answers no ${status} with ${type}`;
    const anchored = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"bir#/'));
    return ajv.validate(anchored, value) ? null : ajv.errors;
  }

  async function check(operationId: string, answer: Response): Promise<unknown> {
    const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
    const value = (await answer.json()) as unknown;
    expect(
      flaws(operationId, answer.status, type, value),
      `${operationId} ${JSON.stringify(value).slice(0, 500)}`,
    ).toBeNull();
    return value;
  }

  test("are what the document says, good ones and refusals", async () => {
    const service = new TestService();
    service.cli.record(
      eventfulRun(),
      new RunWriter(RUN_B, T0)
        .update({ input: "hello", usage: USAGE })
        .call("echo", '{"message":"hello"}', text("hello"), 5),
    );
    const [step, note] = [await firstStep(service), await firstNote(service)];
    const asked: [string, string, number][] = [
      ["listRuns", "/api/runs", 200],
      ["listRuns", "/api/runs?q=is:nothing&limit=1", 200],
      ["listRuns", "/api/runs?limit=x", 400],
      ["search", "/api/search?q=hello", 200],
      ["facets", "/api/facets", 200],
      ["run", `/api/runs/${RUN_A}`, 200],
      ["run", "/api/runs/x", 404],
      ["events", `/api/runs/${RUN_A}/events`, 200],
      ["events", `/api/runs/${RUN_A}/events?payloads=brief&limit=2`, 200],
      ["step", `/api/runs/${RUN_A}/steps/${step}`, 200],
      ["note", `/api/runs/${RUN_A}/notes/${note}`, 200],
      ["compare", `/api/compare?left=${RUN_A}&right=${RUN_B}`, 200],
      ["service", "/api/service", 200],
      ["health", "/health", 200],
    ];
    for (const [operation, path, status] of asked) {
      const answer = await service.ask(path);
      expect([path, answer.status, status === answer.status ? "" : await answer.text()]).toEqual([path, status, ""]);
      await check(operation, answer);
    }
    await check("listRuns", await service.ask("/api/runs", {}, { authorization: null }));
    await check("listRuns", await service.ask("/api/runs", {}, { host: "x" }));
    const code = (await check("openCode", await service.ask("/session/codes", { method: "POST" }))) as { code: string };
    await check("openSession", await service.send("POST", "/session", { code: code.code }));
    await check("openSession", await service.send("POST", "/session", { code: code.code }));
    await check("openSession", await service.send("POST", "/session", "{"));
    await check("openSession", await service.send("POST", "/session", "{}", { "content-type": "text/plain" }));
    await check("openSession", await service.send("POST", "/session", " ".repeat(9000)));
    await check("deleteRun", await service.ask(`/api/runs/${RUN_A}`, { method: "DELETE" }));
    await check("deleteRun", await service.ask("/api/runs/x", { method: "DELETE" }));
    await check("restoreRun", await service.ask("/api/runs/x/restore", { method: "POST" }));
  });

  test("to what other recorders send are, too", async () => {
    const service = new TestService();
    const row = { id: "row-1", stepIndex: 0, type: "tool_selected", toolName: "echo", toolInput: {} };
    const sent: [string, string, string, unknown][] = [
      ["createRecording", "POST", "/recordings/runs", { id: "r", input: "x", metadata: {} }],
      ["createRecording", "POST", "/recordings/runs", { id: "r", input: "x", metadata: {} }],
      ["createRecording", "POST", "/recordings/runs", { id: 1 }],
      ["addRows", "POST", "/recordings/runs/r/steps", row],
      ["addRows", "POST", "/recordings/runs/r/steps", [row, { ...row, id: "row-2" }]],
      ["addRows", "POST", "/recordings/runs/none/steps", row],
      ["changeRow", "PATCH", "/recordings/runs/r/steps/row-1", { toolName: "other" }],
      ["changeRow", "PATCH", "/recordings/runs/r/steps/none", { toolName: "other" }],
      ["finishRecording", "POST", "/recordings/runs/r/finish", { finalOutput: "done", metrics: {} }],
    ];
    const statuses: number[] = [];
    for (const [operation, method, path, body] of sent) {
      const answer = await service.send(method, path, body);
      statuses.push(answer.status);
      await check(operation, answer);
    }
    expect(statuses.map((status) => Math.floor(status / 100))).toEqual([2, 2, 4, 2, 2, 4, 2, 4, 2]);
    expect(await service.json<RunPage>("/api/runs")).toMatchObject({ runs: [{ id: "r", stepCount: 2 }] });
  });

  test("that are streamed are what the page is told they are", async () => {
    const service = new TestService();
    const answer = await service.ask(`/api/live?run=${RUN_A}`);
    const stream = new SentEvents(answer.body as ReadableStream<Uint8Array>);
    const told = new Map<string, unknown>();
    service.cli.record(eventfulRun());
    while (told.size < 3) {
      const event = await stream.next();
      told.set(event?.name ?? "end", event?.data);
    }
    expect(indexStateSchema.safeParse(told.get("index")).error).toBeUndefined();
    expect(liveRunsSchema.safeParse(told.get("runs")).error).toBeUndefined();
    expect(flaws("events", 200, "application/json", told.get("events"))).toBeNull();
    await stream.close();
  });

  test("would be found wrong if they were", () => {
    const page: HitPage = { hits: [], next: null, index: { isCurrent: true, done: 1 }, issues: [] };
    expect(flaws("search", 200, "application/json", page)).toBeNull();
    expect(flaws("search", 200, "application/json", { ...page, more: 1 })).not.toBeNull();
    expect(flaws("search", 200, "application/json", { ...page, index: null })).not.toBeNull();
    expect(flaws("search", 201, "application/json", page)).toBe("search answers no 201 with application/json");
  });
});

const USAGE = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 };

async function firstStep(service: TestService): Promise<string> {
  const { events } = await service.json<EventPage>(`/api/runs/${RUN_A}/events`);
  return events.flatMap((event) => (event.type === "step.opened" ? [event.stepId] : []))[0] ?? "";
}

async function firstNote(service: TestService): Promise<number> {
  const { events } = await service.json<EventPage>(`/api/runs/${RUN_A}/events`);
  return events.flatMap((event) => (event.type === "note" ? [event.seq] : []))[0] ?? -1;
}
