/** A service over a home of its own, asked without a socket. */

import { onTestFinished } from "vitest";
import type { PageFiles } from "../../src/service/page/page-files.ts";
import { openService, type Service, type ServiceOptions } from "../../src/service/service.ts";
import { TestCli } from "./cli-fixture.ts";
import { KeptLog } from "./control-fixture.ts";

export const TOKEN = "the-token-of-this-service-which-is-long-enough";
export const PORT = 7331;

export const PAGE: PageFiles = {
  html: '<!doctype html><script type="module" src="/chunk-abc.js"></script>',
  files: [
    { path: "/chunk-abc.js", type: "text/javascript;charset=utf-8", text: "export const word = 'script';" },
    { path: "/chunk-def.css", type: "text/css;charset=utf-8", text: "body { color: red }" },
  ],
};

export class TestService {
  readonly cli = new TestCli();
  readonly home = this.cli.home;
  readonly log = new KeptLog();
  readonly removals: string[][] = [];
  /** What removing runs answers. */
  isRemoved: (ids: readonly string[]) => boolean | Promise<boolean> = () => true;
  now = Date.now();
  readonly service: Service;

  constructor(options: Partial<ServiceOptions> = {}) {
    this.service = openService({
      home: this.home,
      secrets: { token: TOKEN, sessionSecret: "the-secret-that-sessions-are-sealed-with" },
      log: this.log,
      page: PAGE,
      remove: async (ids) => {
        this.removals.push([...ids]);
        return await this.isRemoved(ids);
      },
      own: { pid: process.pid, processStartedAt: "boot/1", startedAt: 1 },
      now: () => this.now,
      ...options,
    });
    onTestFinished(() => this.service.close());
  }

  /** Asks as a program that knows the token; a header that is null is left out. */
  async ask(path: string, init: RequestInit = {}, headers: Record<string, string | null> = {}): Promise<Response> {
    const all = { host: `127.0.0.1:${PORT}`, authorization: `Bearer ${TOKEN}`, ...headers };
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
    const request = new Request(`http://127.0.0.1:${PORT}${path}`, { ...init, headers: Object.fromEntries(kept) });
    return await this.service.fetch(request, PORT);
  }

  async send(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string | null> = {},
  ): Promise<Response> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return await this.ask(path, { method, body: text }, { "content-type": "application/json", ...headers });
  }

  /** The JSON of a good answer. */
  async json<T = Record<string, unknown>>(path: string): Promise<T> {
    const answer = await this.ask(path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** Lets a browser in: the headers that it sends from then on. */
  async letIn(): Promise<{ cookie: string; "x-bir-key": string; authorization: null }> {
    const { code } = this.service.sessions.newCode();
    const answer = await this.send("POST", "/session", { code }, { authorization: null });
    const { key } = (await answer.json()) as { key: string };
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    return { cookie, "x-bir-key": key, authorization: null };
  }
}
