import { Hono } from "hono";
import { type CheckedBody, checkBody } from "../core/api/check-body.ts";
import { hookReportSchema, proxyBatchSchema, proxyRegistrationSchema } from "../core/api/control.ts";
import type { HookReport, HookRoute } from "../core/control-wire.ts";
import { Refused, readBody } from "../http-server/body.ts";
import { problemAnswer } from "../http-server/problem-answer.ts";
import type { ServerLog } from "../http-server/server-log.ts";
import { HOOK_BODY_BYTES, PROXY_BODY_BYTES } from "./bounds.ts";
import type { DirectoryHeardOf } from "./discovery-files.ts";
import type { Guard } from "./guard.ts";
import { proxyTold } from "./proxy-told.ts";
import { NotTaken, type Recorder } from "./recorder.ts";
import type { Use } from "./use.ts";

/**
 * The routes of the control server: who asks, whether the body is what the route takes, and what the recorder made of it as an
 * HTTP answer. Decides nothing about runs, and answers 200 only for what the recorder has committed.
 */

export interface AppParts {
  guard: Guard;
  recorder: Recorder;
  use: Use;
  log: ServerLog;
  /** Reports wait for this: what hooks and proxies left behind earlier comes first. */
  ready: Promise<void>;
  /** Takes up what was left in the spool since; waits a moment for it at most. */
  takeUpSpool: () => Promise<unknown>;
  /** What `/health` answers. */
  health: () => object;
  heardOf: DirectoryHeardOf;
}

const HOOK_ROUTES: readonly HookRoute[] = [
  "/session/start",
  "/session/prompt",
  "/tool/pre",
  "/tool/post",
  "/session/stop",
  "/session/end",
];

/** What ends a run: a hook that came too late to be heard directly may tell that it had ended otherwise. */
const ENDINGS: ReadonlySet<HookRoute> = new Set(["/session/prompt", "/session/end"]);

/** When a sender whose report was not taken may try again, in seconds. */
const RETRY_AFTER = { "retry-after": "1" };

/** Where the server listens; known to a request only. */
interface Env {
  Bindings: { port: number };
}

type Take = (request: Request) => Promise<object>;

export function controlApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (c, next) => parts.guard(c.req.raw, c.env.port) ?? (await next()));
  for (const route of HOOK_ROUTES) post(app, parts, route, (request) => takeHook(parts, route, request));
  post(app, parts, "/proxy/register", (request) => register(parts, request));
  post(app, parts, "/proxy/step", (request) => takeBatch(parts, request));
  app.get("/health", () => Response.json(parts.health()));
  app.all("/health", () => problemAnswer(405, {}, { allow: "GET" }));
  app.notFound(() => problemAnswer(404));
  app.onError((cause) => answerTo(cause, parts.log));
  return app;
}

function post(app: Hono<Env>, parts: AppParts, route: string, take: Take): void {
  app.post(route, async (c) => {
    if (parts.use.isLeaving) return problemAnswer(503, {}, { ...RETRY_AFTER, connection: "close" });
    return Response.json(await parts.use.during(() => take(c.req.raw)));
  });
  app.all(route, () => problemAnswer(405, {}, { allow: "POST" }));
}

async function takeHook(parts: AppParts, route: HookRoute, request: Request): Promise<object> {
  const { recorder, ready, takeUpSpool, heardOf } = parts;
  const text = await readBody(request, HOOK_BODY_BYTES);
  // A good report holds plain strings; that they are redacted is the sender's promise, which its token vouches for.
  const report = good(checkBody(hookReportSchema, parsed(text))) as HookReport;
  await ready;
  if (ENDINGS.has(route)) await takeUpSpool();
  const answer = await recorder.takeHook(route, report);
  const sessionId = report.fact?.sessionId ?? report.malformed?.sessionId ?? null;
  heardOf([report.projectDir, report.fact?.cwd ?? null], sessionId);
  return answer;
}

async function register({ recorder, ready, heardOf }: AppParts, request: Request): Promise<object> {
  const registration = good(checkBody(proxyRegistrationSchema, parsed(await readBody(request, HOOK_BODY_BYTES))));
  await ready;
  const proxyId = recorder.register(registration);
  heardOf([registration.projectDir, registration.cwd], registration.sessionId);
  return { proxyId };
}

async function takeBatch({ recorder, ready }: AppParts, request: Request): Promise<object> {
  const text = await readBody(request, PROXY_BODY_BYTES);
  const { proxyId, reports } = good(checkBody(proxyBatchSchema, parsed(text)));
  const told = proxyTold(text, reports);
  await ready;
  if (await recorder.takeProxy(proxyId, told)) return { accepted: told.length };
  throw new Refused(problemAnswer(404, { title: "no proxy has this id: register again", code: "unknown-proxy" }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(problemAnswer(400, { title: "the body is no JSON", code: "not-json" }));
  }
}

/** The body that was good. Throws `Refused`. */
function good<T>(body: CheckedBody<T>): T {
  if (body.isGood) return body.value;
  throw new Refused(problemAnswer(400, { code: "invalid-body", issues: body.issues }));
}

function answerTo(cause: unknown, log: ServerLog): Response {
  if (cause instanceof Refused) return cause.answer;
  if (cause instanceof NotTaken) {
    log.say("the store does not take reports just now: senders keep them (DEG-13)");
    return problemAnswer(cause.isKept ? 504 : 503, {}, RETRY_AFTER);
  }
  log.fault("answering a request", cause);
  return problemAnswer(500);
}
