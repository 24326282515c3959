import { dlopen, ptr } from "bun:ffi";
import { BUILD_TARGET } from "../version.ts";

/**
 * The few calls into the C library that the runtime has no function for. Nothing here works on Windows, and where the
 * library cannot be had each throws; every caller can do without.
 */

const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = process.platform === "darwin" ? 0x4 : 0x800;
/** SIGPIPE and SIGXFSZ, the same numbers on Linux and macOS. */
const SIGNALS_IGNORED_BY_THE_RUNTIME = [13, 25];

/** LOCK_EX and LOCK_NB. */
const LOCK_AT_ONCE = 2 | 4;
/** renameat2: not every C library has a function for it. */
const SYS_RENAMEAT2 = process.arch === "arm64" ? 276 : 316;
const AT_FDCWD = -100;
/** RENAME_EXCHANGE on Linux, RENAME_SWAP on macOS. */
const EXCHANGE = 2;

const SIGHUP = 1;
const SIG_IGN = 1;

const SYMBOLS = {
  signal: { args: ["i32", "usize"], returns: "usize" },
  fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
  unsetenv: { args: ["cstring"], returns: "i32" },
  _exit: { args: ["i32"], returns: "void" },
  execv: { args: ["cstring", "ptr"], returns: "i32" },
  flock: { args: ["i32", "i32"], returns: "i32" },
  syscall: { args: ["i64", "i32", "cstring", "i32", "cstring", "u32"], returns: "i64" },
  renamex_np: { args: ["cstring", "cstring", "u32"], returns: "i32" },
} as const;

/** The C library under a name that a file in the working directory cannot take. */
function libraryName(): string {
  if (process.platform === "darwin") return "/usr/lib/libSystem.B.dylib";
  if (!BUILD_TARGET.includes("musl")) return "libc.so.6";
  return process.arch === "arm64" ? "/lib/ld-musl-aarch64.so.1" : "/lib/ld-musl-x86_64.so.1";
}

/** Each function that is asked for costs a little, so only those that are needed are looked up. */
function functions<Name extends keyof typeof SYMBOLS>(...names: Name[]) {
  const wanted = Object.fromEntries(names.map((name) => [name, SYMBOLS[name]])) as Pick<typeof SYMBOLS, Name>;
  return dlopen(libraryName(), wanted).symbols;
}

/** Gives signals that the runtime ignores their default meaning back, for a program that takes this process's place. */
export function restoreDefaultSignals(): void {
  const c = functions("signal");
  for (const signal of SIGNALS_IGNORED_BY_THE_RUNTIME) c.signal(signal, 0n);
}

/**
 * True when the hang-up signal was ignored from the start, as under `nohup`: then it is meant to go on being ignored.
 * Asked before a handler is set.
 */
export function isHangUpIgnored(): boolean {
  if (process.platform === "win32") return false;
  const c = functions("signal");
  const before = c.signal(SIGHUP, 0n);
  if (Number(before) !== SIG_IGN) return false;
  c.signal(SIGHUP, before);
  return true;
}

/**
 * The runtime makes pipes non-blocking, and that outlives us where others hold them too: a host may give all its servers
 * the same stderr. Not for a descriptor that still has something to be written to it: the end of this process would wait.
 */
export function restoreBlocking(descriptors: readonly number[]): void {
  if (process.platform === "win32") return;
  const c = functions("fcntl");
  for (const fd of descriptors) {
    const flags = c.fcntl(fd, F_GETFL, 0);
    if (flags >= 0 && (flags & O_NONBLOCK) !== 0) c.fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
  }
}

/**
 * Becomes another program with this process's environment byte for byte, without the variables in `unset`. Comes back
 * only when that failed.
 */
export function executeWithOwnEnvironment(file: string, argv: readonly string[], unset: readonly string[]): void {
  const c = functions("unsetenv", "execv");
  for (const name of unset) c.unsetenv(Buffer.from(`${name}\0`));
  const words = argv.map((word) => Buffer.from(`${word}\0`));
  const pointers = new BigUint64Array([...words.map((word) => BigInt(ptr(word))), 0n]);
  c.execv(Buffer.from(`${file}\0`), ptr(pointers));
}

/**
 * Ends this process here and now. The runtime's own way closes what is still open first, and for a store with a long log
 * that takes longer than a host may wait. Everything that was to be written must have been.
 */
export function exitAtOnce(status: number): void {
  if (process.platform !== "win32") functions("_exit")._exit(status);
}

/**
 * Takes the system's lock on an open file, which lasts until the file is closed or this process ends; false while another
 * holds it, or where the file system has no locks.
 */
export function lockOpenFile(fd: number): boolean {
  return functions("flock").flock(fd, LOCK_AT_ONCE) === 0;
}

/** Swaps two files at once, so that nobody ever finds either of them missing; false where the system cannot. */
export type ExchangeFiles = (one: string, other: string) => boolean;

let exchange: ExchangeFiles | undefined;

/** The function for it. Looked up before it is needed: that takes longer than many a race. */
export function fileExchange(): ExchangeFiles {
  exchange ??= makeExchange();
  return exchange;
}

function makeExchange(): ExchangeFiles {
  const word = (path: string) => Buffer.from(`${path}\0`);
  if (process.platform === "win32") return () => false;
  if (process.platform === "darwin") {
    const { renamex_np } = functions("renamex_np");
    return (one, other) => renamex_np(word(one), word(other), EXCHANGE) === 0;
  }
  const { syscall } = functions("syscall");
  return (one, other) => Number(syscall(SYS_RENAMEAT2, AT_FDCWD, word(one), AT_FDCWD, word(other), EXCHANGE)) === 0;
}
