import { type Context, Hono } from "hono";
import { checkBody } from "../core/api/check-body.ts";
import type { RouteSpec } from "../core/api/route-spec.ts";
import { SERVICE_ROUTES } from "../core/api/service-routes.ts";
import { Problem } from "../core/problem.ts";
import { Refused, readBody } from "../http-server/body.ts";
import { type ProblemStatus, problemAnswer } from "../http-server/problem-answer.ts";
import type { ServerLog } from "../http-server/server-log.ts";
import type { Asking, Handlers } from "./handler.ts";
import { protect } from "./headers.ts";
import type { Page } from "./page/page.ts";
import type { Guard } from "./who/guard.ts";

/**
 * The service's routes, made from the table in `core/api/service-routes.ts`: who asks, whether the path, the query and the body
 * are what the route takes, and then its handler. Decides nothing about runs.
 */

export interface AppParts {
  guard: Guard;
  handlers: Handlers;
  page: Page;
  /** Asked before the body of a recording is read: false while so much waits to be kept that it had better not be. */
  admits: () => boolean;
  log: ServerLog;
}

/** Where the service listens; known to a request only. */
export interface Env {
  Bindings: { port: number };
}

type Handle = (asked: { params: unknown; query: unknown; body: unknown } & Asking) => unknown;

export function serviceApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    await next();
    protect(c.res.headers);
    if (c.req.method === "HEAD") await tellLength(c.res);
  });
  const allowed = new Map<string, Set<string>>();
  for (const name of Object.keys(SERVICE_ROUTES) as (keyof typeof SERVICE_ROUTES)[]) {
    const spec: RouteSpec = SERVICE_ROUTES[name];
    const path = spec.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const methods = allowed.get(path) ?? new Set();
    allowed.set(path, methods.add(spec.method));
    if (spec.method === "GET") methods.add("HEAD");
    app.on(spec.method, path, (c) => take(c, parts, spec, parts.handlers[name] as Handle));
  }
  for (const [path, methods] of allowed) {
    app.all(path, (c) => parts.guard.strangerAt(c.req.raw, c.env.port) ?? wrongMethod([...methods]));
  }
  app.notFound((c) => parts.guard.strangerAt(c.req.raw, c.env.port) ?? parts.page.answer(c.req.raw));
  app.onError((cause) => answerTo(cause, parts.log));
  return app;
}

async function take(c: Context<Env>, parts: AppParts, spec: RouteSpec, handle: Handle): Promise<Response> {
  const { raw: request } = c.req;
  const { port } = c.env;
  const refusal = parts.guard.refusal(request, port, spec.access);
  if (refusal !== null) return refusal;
  const params = good(spec.params, c.req.param(), "the path is not what this route takes");
  const isAsked = Object.keys(spec.query.shape).length > 0;
  const query = isAsked ? good(spec.query, c.req.query(), "the query is not what this route takes") : {};
  if (spec.body?.isHandlersCheck && !parts.admits()) return full();
  const { text, body } = await bodyOf(request, spec);
  const answer = await handle({ params, query, body, text, request, port });
  return answer instanceof Response ? answer : jsonAnswer(answer, spec.good[0]?.status);
}

/** What GET would answer is so long: without its body the runtime would say that there is none. */
async function tellLength(answer: Response): Promise<void> {
  if (answer.body === null || answer.headers.has("content-length")) return;
  answer.headers.set("content-length", String((await answer.clone().arrayBuffer()).byteLength));
}

async function bodyOf(request: Request, { body }: RouteSpec): Promise<{ text: string; body: unknown }> {
  if (body === null) return { text: "", body: null };
  // What a form on a page can send without being asked for first is none of these.
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new Refused(problemAnswer(415, {}, { "accept-post": "application/json", connection: "close" }));
  }
  const text = await readBody(request, body.limitBytes);
  const value = parsed(text);
  return { text, body: body.isHandlersCheck ? value : good(body.schema, value) };
}

/** The value as JSON: numbers of recorded payloads as they were on the wire. */
function jsonAnswer(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
}

function good(
  schema: RouteSpec["params"] | NonNullable<RouteSpec["body"]>["schema"],
  value: unknown,
  title?: string,
): unknown {
  const checked = checkBody(schema, value);
  if (checked.isGood) return checked.value;
  const more = { code: "invalid-request", issues: checked.issues };
  throw new Refused(problemAnswer(400, title === undefined ? more : { title, ...more }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(problemAnswer(400, { title: "the body is no JSON", code: "not-json" }));
  }
}

/** The body is not read: its sender has to begin a new connection. */
function full(): Response {
  return problemAnswer(503, {}, { "retry-after": "1", connection: "close" });
}

function wrongMethod(methods: readonly string[]): Response {
  return problemAnswer(405, {}, { allow: methods.join(", ") });
}

/** Problems of the store by their code; every other one of it is trouble that may pass. */
const STATUS_OF: Readonly<Record<string, ProblemStatus>> = {
  "no-such-run": 404,
  "no-such-step": 404,
  "no-such-note": 404,
  "bad-cursor": 400,
  "run-is-recorded": 409,
  "too-late": 409,
};

function answerTo(cause: unknown, log: ServerLog): Response {
  if (cause instanceof Refused) return cause.answer;
  if (cause instanceof Problem) {
    const { code, message, hint } = cause;
    const status = STATUS_OF[code] ?? 503;
    return problemAnswer(status, { title: message, code, detail: hint }, status === 503 ? { "retry-after": "5" } : {});
  }
  log.fault("answering a request", cause);
  return problemAnswer(500);
}
