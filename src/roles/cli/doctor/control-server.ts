import { ago, counted } from "../../../core/text/when.ts";
import { VERSION } from "../../../version.ts";
import {
  lookAtServer,
  lookAtSpool,
  type ServerStatus,
  type SpoolStatus,
  unreadableSentence,
} from "../server-status.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

/** What waits longer than this for a server that is there was forgotten by it. */
const FORGOTTEN_MS = 10 * 60_000;

/** The control server: it answers or is not needed, it is of this version, and nothing waits for it in vain. */
export const controlServer: DoctorCheck = {
  name: "control-server",
  run: async ({ context }) => {
    const server = await lookAtServer(context);
    return [serverFinding(server), ...spoolFindings(lookAtSpool(context.home), server, context.now())];
  },
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

function spoolFindings({ files, oldestAt, unreadable }: SpoolStatus, { state }: ServerStatus, now: number): Finding[] {
  const findings: Finding[] = [];
  // While one runs it takes them up within a second.
  if (files > 0 && (state === "absent" || (oldestAt !== null && now - oldestAt > FORGOTTEN_MS))) {
    const oldest = oldestAt === null ? "" : `, the oldest from ${ago(oldestAt, now)}`;
    findings.push({
      severity: "warning",
      message: `the control server is waited for by ${counted(files, "report file")}${oldest}`,
      hint: `\`bir up\` starts it, and it takes ${files === 1 ? "it" : "them"} up.`,
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
