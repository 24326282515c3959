import type { RunStatus, StepStatus } from "../../core/run.ts";
import { Icon, type IconName } from "./icon.tsx";

/** How a run or a call ended, as a sign and a word, in the colour of its kind. */

interface Look {
  icon: IconName;
  tone: "ok" | "error" | "warn" | "running";
}

const LOOKS: Record<RunStatus | StepStatus, Look> = {
  ok: { icon: "check", tone: "ok" },
  completed: { icon: "check", tone: "ok" },
  error: { icon: "cross", tone: "error" },
  failed: { icon: "cross", tone: "error" },
  cancelled: { icon: "ban", tone: "warn" },
  denied: { icon: "ban", tone: "warn" },
  interrupted: { icon: "ban", tone: "warn" },
  abandoned: { icon: "lost", tone: "warn" },
  lost: { icon: "lost", tone: "warn" },
  running: { icon: "play", tone: "running" },
};

/** `isQuiet`: without a ground of its own, for rows where most are the same. */
export function StatusBadge({ status, isQuiet = false }: { status: RunStatus | StepStatus; isQuiet?: boolean }) {
  const { icon, tone } = LOOKS[status];
  return (
    <span class={`badge status ${tone}${isQuiet ? " quiet" : ""}`}>
      <Icon name={icon} />
      {status}
    </span>
  );
}
