/** Exit codes of every command but `proxy`, which ends with its server's status. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notSetUp: 3,
  upstream: 4,
  refused: 5,
  bug: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
