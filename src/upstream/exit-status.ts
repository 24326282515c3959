/** How a server process ended, as an exit status: its own code, or 128 + n for death by signal n. */
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

/** `exited` is what the runtime gave; it already is 128 + n for most signals. */
export function exitStatus(exited: number | null, signal: string | number | null): number {
  if (typeof signal === "number") return 128 + signal;
  if (signal !== null && SIGNAL_NUMBERS[signal] !== undefined) return signalExitStatus(signal);
  return exited ?? 1;
}

/** The status of a process that ends because of this signal. */
export function signalExitStatus(signal: string): number {
  return 128 + (SIGNAL_NUMBERS[signal] ?? 0);
}
