import { isAbsolute, resolve } from "node:path";
import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { openServerLog } from "../../../http-server/server-log.ts";
import { sendLogTo } from "../../../kit/log.ts";
import { ownCommand } from "../../../kit/own-executable.ts";
import { serve, takeServiceLock } from "../../../service/serve.ts";
import type { Service } from "../../../service/service.ts";
import type { ServiceDiscovery } from "../../../service/service-files.ts";
import { serviceSecrets } from "../../../service/who/service-secrets.ts";
import { recordingProblem } from "../../../store/recording-problem.ts";
import { leaveSignal, surviveFaults } from "../../server-process.ts";
import type { CliContext } from "../context.ts";
import { asHomeProblem } from "../home-problem.ts";
import { runningService } from "./running-service.ts";

/** Runs the service of a home in this process until it is told to go: the wiring behind `bir serve` and `bir view`. */

export interface Addresses {
  port: number | undefined;
  host: string | undefined;
  "allow-host": readonly string[] | undefined;
}

export interface Ready {
  own: ServiceDiscovery;
  sessions: Service["sessions"];
}

/** Serves; `onReady` is called once it can be found. Throws Problem where it cannot serve, or another one does already. */
export async function runService(
  context: CliContext,
  addresses: Addresses,
  onReady: (ready: Ready) => Promise<void>,
): Promise<ExitCode> {
  const home = isAbsolute(context.home) ? context.home : resolve(context.home);
  const problem = recordingProblem(home);
  if (problem !== null) throw problem;
  const secrets = asHomeProblem(home, () => serviceSecrets(home));
  const lock = asHomeProblem(home, () => takeServiceLock(home));
  if (lock === null) throw await servedAlready(home);
  const log = openServerLog(home, Date.now, "service.log");
  const leave = leaveSignal();
  try {
    sendLogTo((line) => log.say(line));
    surviveFaults(log);
    const { viewerPage } = await import("../../viewer-page.ts");
    await serve(
      {
        home,
        secrets,
        log,
        page: await viewerPage(),
        remove: (ids) => removeRuns(home, ids),
        allowedHosts: allowedHosts(addresses),
        port: addresses.port ?? null,
        host: addresses.host ?? null,
        leave,
        onReady: (ready) => void onReady(ready).catch((cause) => log.fault("saying where it is", cause)),
      },
      lock,
    );
  } finally {
    lock.release();
  }
  return EXIT.ok;
}

async function servedAlready(home: string): Promise<Problem> {
  const other = await runningService(home);
  return new Problem(
    "served-already",
    other === null
      ? "another service of this home is starting or leaving"
      : `this home is served already, at ${other.url}/`,
    other === null
      ? "Try again in a moment."
      : `\`bir view\` opens its page; end it with \`kill ${other.pid}\` to start another one.`,
  );
}

/** An address that was asked for is no name that could be made to point elsewhere. */
function allowedHosts({ host, "allow-host": names }: Addresses): string[] {
  const address = host === undefined ? [] : [host.includes(":") ? `[${host}]` : host];
  return [...address, ...(names ?? [])].map((name) => name.toLowerCase());
}

/** In a process of its own: removing rewrites the store, and takes its locks. */
async function removeRuns(home: string, ids: readonly string[]): Promise<boolean> {
  try {
    const remover = Bun.spawn([...ownCommand(), "run", "delete", "--yes", "--json", "--ids-stdin"], {
      argv0: "bir",
      env: { ...process.env, BIR_HOME: home },
      // No argument can hold any id; and the word of a run that is gone already may mean another one.
      stdio: [new TextEncoder().encode(JSON.stringify(ids)), "ignore", "ignore"],
      windowsHide: true,
    });
    return (await remover.exited) === EXIT.ok;
  } catch {
    return false;
  }
}
