import type { ServerLog } from "../http-server/server-log.ts";
import { fileFacts } from "../kit/file-facts.ts";
import { downSwitchPath } from "../kit/paths.ts";
import type { ExclusiveLock } from "../store/exclusive-lock.ts";
import type { DiscoveryFiles } from "./discovery-files.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Recorder } from "./recorder.ts";
import type { SpoolDrain } from "./spool/spool-drain.ts";
import type { Use } from "./use.ts";

/** How long a server stays, and what it looks after each second while it does. */

export interface LifeParts {
  home: string;
  lock: ExclusiveLock;
  recorder: Recorder;
  forwarding: Forwarding;
  log: ServerLog;
  /** How long it stays while nothing uses it. */
  idleMs: number;
  /** Fires when it is told to go. */
  leave: AbortSignal;
  use: Use;
  files: DiscoveryFiles;
  drain: SpoolDrain;
}

const TICK_MS = 1000;

/** Resolves with the reason to go. */
export async function untilNotNeeded(parts: LifeParts): Promise<string> {
  const { idleMs, leave, log } = parts;
  const { promise: over, resolve } = Promise.withResolvers<string>();
  let isBusy = false;

  const tick = (): void => {
    const reason = reasonToGo(parts);
    if (reason !== null) resolve(reason);
    else if (!isBusy) {
      isBusy = true;
      lookAfter(parts)
        .then((isNeeded) => isNeeded || resolve("nothing uses it"))
        .catch((cause: unknown) => log.fault("looking after the server", cause))
        .finally(() => {
          isBusy = false;
        });
    }
  };
  const timer = setInterval(tick, Math.min(TICK_MS, Math.max(20, idleMs)));
  timer.unref();
  leave.addEventListener("abort", tick);
  // Since it was looked before the start, somebody may have switched it down, or told it to go.
  tick();
  try {
    return await over;
  } finally {
    clearInterval(timer);
    leave.removeEventListener("abort", tick);
  }
}

function reasonToGo({ home, lock, leave }: LifeParts): string | null {
  if (leave.aborted) return "told to";
  if (isSwitchedDown(home)) return "switched down";
  // The home was removed or replaced: a server of the new one may be there already.
  return lock.isInPlace() ? null : "the home is another one now";
}

/** Answers false when nobody needs the server any more. */
async function lookAfter({ files, drain, use, recorder, forwarding, idleMs }: LifeParts): Promise<boolean> {
  files.keepInPlace();
  if ((await drain.pass()) > 0) use.touch();
  recorder.tick();
  forwarding.tick();
  if (forwarding.isDelivering) use.touch();
  const { sessions, proxies } = recorder.occupation();
  return sessions > 0 || proxies > 0 || use.idleForMs() < idleMs;
}

/** Whether `bir down` is in force. */
export function isSwitchedDown(home: string): boolean {
  try {
    return fileFacts(downSwitchPath(home)) !== null;
  } catch {
    return false;
  }
}
