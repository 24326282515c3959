import type { HookReport } from "../../core/control-wire.ts";
import type { HookFact } from "../../core/hook-fact.ts";
import { trustedText } from "../../redact/redact.ts";
import type { Followed } from "./followed-sessions.ts";

/** What a hook tells of where its session is and which process runs it, whatever else it tells. */

export interface World {
  /** Start time of a process, or null where there is none. */
  processStartedAt(pid: number): string | null;
  /** The sessions that are followed. */
  others: readonly Followed[];
}

/** What a hook tells only while a prompt is under way, whose beginning nobody told of then. */
const UNDER_WAY: ReadonlySet<HookFact["kind"]> = new Set(["tool-starting", "tool-ended", "tool-failed", "stopped"]);

/** Learns it; answers the sessions that were in the same process before, and are over therefore. */
export function learnWhereabouts(
  { session, transcripts }: Followed,
  report: HookReport,
  fact: HookFact,
  { processStartedAt, others }: World,
): Followed[] {
  const { about } = session;
  const { at, hostPid } = report;
  const isStart = fact.kind === "session-started";
  const begins = isStart || !about.isHooked;
  about.lastAt = Math.max(about.lastAt, at);
  // What the host wrote before the first hook is not ours to tell. That one may be heard of late.
  const from = isStart && fact.source === "startup" ? 0 : at;
  if (!about.isHooked) {
    Object.assign(about, { isHooked: true, since: from, firstHookAt: from });
    if (fact.promptId !== null && UNDER_WAY.has(fact.kind)) transcripts.beginUnderWay(fact.promptId);
    for (const run of session.openRuns) run.close(run.runningCalls() > 0 ? "interrupted" : "completed", at);
  } else if (from < about.since && about.since === about.firstHookAt) {
    Object.assign(about, { since: from, firstHookAt: from });
    transcripts.readAgain();
  }
  if (fact.cwd !== null) about.cwd = fact.cwd;
  if (about.firstCwd === "") about.firstCwd = about.cwd;
  if (report.projectDir !== null) about.projectDir = trustedText(report.projectDir);
  if (about.transcriptPath === null) about.transcriptPath = fact.transcriptPath;
  else if (fact.transcriptPath !== null && fact.transcriptPath !== about.transcriptPath) {
    transcripts.moved(fact.transcriptPath);
  }
  if (hostPid !== null && (hostPid !== about.hostPid || isStart)) {
    about.hostPid = hostPid;
    about.hostStartedAt = processStartedAt(hostPid);
  }
  const goesOn = isStart || fact.kind === "prompt-submitted";
  if (goesOn && about.endedAt !== null && at > about.endedAt) about.endedAt = null;
  session.learnHost(trustedText(report.app), report.appVersion === null ? null : trustedText(report.appVersion), at);
  if (!begins || about.hostPid === null || about.hostStartedAt === null) return [];
  return others.filter(({ session: other }) => {
    const { hostPid: pid, hostStartedAt, isHooked, lastAt } = other.about;
    const isSame = pid === about.hostPid && hostStartedAt === about.hostStartedAt;
    return other !== session && isHooked && !other.isEnded && isSame && lastAt < at;
  });
}
