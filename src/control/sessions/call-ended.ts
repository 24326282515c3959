import type { CallEnded } from "./call-record.ts";

/** How a call ended, with what most witnesses of an end do not know left empty. */
export function endOf(ended: Partial<CallEnded> & Pick<CallEnded, "status" | "endedAt">): CallEnded {
  return {
    isError: ended.status === "error",
    error: null,
    rpcError: null,
    result: null,
    durationMs: null,
    waitingMs: 0,
    legs: 1,
    progress: 0,
    truncated: false,
    join: null,
    ...ended,
  };
}
