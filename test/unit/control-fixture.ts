/** What the tests of the control server share: a home of their own, a recorder that keeps what it is told, small reports. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { NotTaken, type ProxyTold, type Recorder } from "../../src/control/recorder.ts";
import type { HookReport, HookRoute, ProxyRegistration, SpooledReport } from "../../src/core/control-wire.ts";
import type { ServerLog } from "../../src/http-server/server-log.ts";

/** An empty directory that is removed after the test. */
export function ownHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "bir-control-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** A log that is kept in memory. */
export class KeptLog implements ServerLog {
  readonly lines: string[] = [];

  say(line: string): void {
    this.lines.push(line);
  }

  fault(what: string, cause: unknown): void {
    this.lines.push(`fault while ${what}: ${(cause as Error).name}`);
  }
}

/** Keeps everything in the order in which it was told. */
export class FakeRecorder implements Recorder {
  readonly hooks: { route: HookRoute; report: HookReport }[] = [];
  readonly told: { proxyId: string; told: readonly ProxyTold[] }[] = [];
  readonly registrations: ProxyRegistration[] = [];
  readonly proxies = new Set<string>();
  sessions = 0;
  ticks = 0;
  isClosed = false;
  /** Called before anything is taken; may throw. */
  before: () => void | Promise<void> = () => {};

  async takeHook(route: HookRoute, report: HookReport): Promise<{ stragglers: number; injectedId: string | null }> {
    await this.before();
    this.hooks.push({ route, report });
    return { stragglers: 0, injectedId: null };
  }

  register(registration: ProxyRegistration): string {
    this.registrations.push(registration);
    const id = `proxy-${this.registrations.length}`;
    this.proxies.add(id);
    return id;
  }

  async takeProxy(proxyId: string, told: readonly ProxyTold[]): Promise<boolean> {
    await this.before();
    if (!this.proxies.has(proxyId)) return false;
    this.told.push({ proxyId, told });
    return true;
  }

  occupation(): { sessions: number; proxies: number; openRuns: number } {
    return { sessions: this.sessions, proxies: 0, openRuns: 0 };
  }

  tick(): void {
    this.ticks++;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  /** The ids of the hooks' reports, in the order in which they were taken. */
  hookIds(): string[] {
    return this.hooks.map(({ report }) => report.reportId);
  }

  /** `isKept`: it has taken in what it is told, which the store has not. */
  refuse(isKept = false): void {
    this.before = () => {
      throw new NotTaken("told to", isKept);
    };
  }

  accept(): void {
    this.before = () => {};
  }
}

const KEYS = {
  sessionId: "session-1",
  promptId: "prompt-1",
  agentId: null,
  agentType: null,
  cwd: "/home/ada/project",
  transcriptPath: null,
  permissionMode: "default",
  isCut: false,
};

/** What a hook tells of a call of `Bash`. */
export function hookReport(reportId: string, at = 1000, fact: object = {}): HookReport {
  return {
    reportId,
    at,
    app: "claude-code",
    appVersion: "2.1.332",
    hostPid: null,
    projectDir: null,
    argsHash: null,
    mayInject: false,
    fact: {
      kind: "tool-starting",
      ...KEYS,
      qualifiedName: "Bash",
      server: null,
      tool: "Bash",
      toolUseId: "toolu_1",
      input: '{"command":"true"}',
      ...fact,
    },
    malformed: null,
  } as unknown as HookReport;
}

export function registration(fields: Partial<ProxyRegistration> = {}): ProxyRegistration {
  return {
    serverName: "everything",
    pid: 4242,
    hostPid: null,
    processStartedAt: "boot/1",
    cwd: "/home/ada/project",
    projectDir: null,
    sessionId: null,
    client: null,
    ...fields,
  };
}

/** What a proxy tells of a call; as JSON text, since payloads are told as they are written. */
export function stepText(reportId: string, members = "", startedAt = 1000): string {
  return `{"kind":"step","reportId":"${reportId}","serverName":"everything","toolName":"echo","qualifiedName":"mcp__everything__echo","isError":false,"startedAt":${startedAt},"durationMs":5,"status":"ok"${members === "" ? "" : `,${members}`}}`;
}

/** A line of a spool file for a hook's report. */
export function hookLine(reportId: string, at: number, fact: object = {}): string {
  const line: SpooledReport = { route: "/tool/pre", report: hookReport(reportId, at, fact) };
  return `${JSON.stringify(line)}\n`;
}
