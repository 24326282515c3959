import { isHangUpIgnored, restoreBlocking } from "../../kit/c-library.ts";

/** What a proxy has to know and to leave behind as a process among others: signals, and standard files that others share. */

export type StopSignal = "SIGTERM" | "SIGINT" | "SIGHUP";

/** The signals that end a session. Under `nohup` a hang-up is none: the server would have lived on, too. */
export function stopSignals(): readonly StopSignal[] {
  try {
    if (isHangUpIgnored()) return ["SIGTERM", "SIGINT"];
  } catch {
    // Where it cannot be told, it is one.
  }
  return ["SIGTERM", "SIGINT", "SIGHUP"];
}

/** Gives standard files back as they were got. */
export function leaveBlocking(descriptors: readonly number[]): void {
  try {
    restoreBlocking(descriptors);
  } catch {
    // They stay as this runtime has left them.
  }
}
