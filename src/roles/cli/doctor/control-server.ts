import { VERSION } from "../../../version.ts";
import {
  lookAtServer,
  lookAtSpool,
  type ServerStatus,
  type SpoolStatus,
  unreadableSentence,
} from "../server-status.ts";
import { ago, counted } from "../text/when.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

/** What waits longer than this for a server was forgotten: hooks and proxies start one within seconds. */
const FORGOTTEN_MS = 10 * 60_000;

/** The control server: it answers or is not needed, it is of this version, and nothing waits for it in vain. */
export const controlServer: DoctorCheck = {
  name: "control-server",
  run: async ({ context }) => [
    serverFinding(await lookAtServer(context)),
    ...spoolFindings(lookAtSpool(context.home), context.now()),
  ],
};

function serverFinding({ state, down, pid, version }: ServerStatus): Finding {
  if (state === "silent") {
    return {
      severity: "warning",
      message: `the control server (pid ${pid}) does not answer; sessions go on without it`,
      hint: `Let it go on with \`kill -CONT ${pid}\`, or end it with \`kill -KILL ${pid}\`: what it has acknowledged is safe.`,
    };
  }
  if (state === "running" && version !== VERSION) {
    return {
      severity: "warning",
      message: `the control server that runs is version ${version}, this is ${VERSION}`,
      hint: "Start it anew: bir down && bir up",
    };
  }
  if (state === "running") return ok(`the control server answers (pid ${pid})`);
  if (down) return { severity: "info", message: "the control server is down", hint: "`bir up` starts it again." };
  return ok("the control server is not running; what needs it starts it");
}

function spoolFindings({ files, oldestAt, unreadable }: SpoolStatus, now: number): Finding[] {
  const findings: Finding[] = [];
  if (oldestAt !== null && now - oldestAt > FORGOTTEN_MS) {
    findings.push({
      severity: "warning",
      message: `the control server is waited for by ${counted(files, "report file")}, the oldest from ${ago(oldestAt, now)}`,
      hint: "`bir up` starts it, and it takes them up.",
    });
  }
  if (unreadable > 0) {
    findings.push({
      severity: "warning",
      message: unreadableSentence(unreadable),
      hint: "Look at them if you miss something; delete them to end this warning.",
    });
  }
  return findings;
}
