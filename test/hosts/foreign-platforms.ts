/**
 * How executables of another Linux than this one are run here, or why they cannot be. Starts and installs nothing but
 * a C compiler for the small library that stands in for a musl machine's C++ library.
 */

import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Platform {
  /** What stands before the executable's path in a command. */
  prefix: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Why it cannot be run; undefined when it can. */
  lack: string | undefined;
}

const SHIM_SOURCE = join(dirname(fileURLToPath(import.meta.url)), "musl-on-glibc.c");
const MUSL_LOADER = "/lib/ld-musl-x86_64.so.1";
const ARM64_LIBRARIES = "/usr/aarch64-linux-gnu";
const NATIVE: Platform = { prefix: [], env: {}, lack: undefined };

/** linux-arm64: as it is on such a machine, else by QEMU with Debian's libraries for it. */
export function linuxArm64(): Platform {
  if (process.platform === "linux" && process.arch === "arm64") return NATIVE;
  const qemu = Bun.which("qemu-aarch64") ?? Bun.which("qemu-aarch64-static");
  const libraries = ["libc.so.6", "libgcc_s.so.1"].map((name) => join(ARM64_LIBRARIES, "lib", name));
  const lack =
    qemu === null || !libraries.every(existsSync)
      ? "no QEMU or no arm64 libraries (apt-get install qemu-user libc6-arm64-cross libgcc-s1-arm64-cross)"
      : undefined;
  return { prefix: [qemu ?? "qemu", "-L", ARM64_LIBRARIES], env: {}, lack };
}

/** linux-x64-musl: as it is where musl has its C++ library (Alpine), else with the one of this machine's glibc. */
export function linuxX64Musl(scratch: string): Platform {
  if (process.platform !== "linux" || process.arch !== "x64" || !existsSync(MUSL_LOADER)) {
    return { ...NATIVE, lack: "no musl for x64 (apt-get install musl)" };
  }
  const loads = spawnSync(MUSL_LOADER, ["--list", "/usr/lib/libstdc++.so.6"]);
  return loads.status === 0 ? NATIVE : withGlibcCxx(scratch);
}

function withGlibcCxx(scratch: string): Platform {
  const compiler = Bun.which("cc");
  if (compiler === null) return { ...NATIVE, lack: "no C compiler (apt-get install gcc)" };
  const cc = (...args: string[]) => spawnSync(compiler, args, { encoding: "utf8" });
  for (const library of ["libstdc++.so.6", "libgcc_s.so.1"]) {
    const path = cc(`-print-file-name=${library}`).stdout.trim();
    if (!existsSync(path)) return { ...NATIVE, lack: `no ${library} (apt-get install libstdc++6)` };
    symlinkSync(path, join(scratch, library));
  }
  // They ask for glibc's loader by name; that it is there is all they need of it.
  const built = [
    cc("-shared", "-fPIC", "-nostdlib", "-o", join(scratch, "shim.so"), SHIM_SOURCE),
    cc("-shared", "-nostdlib", "-o", join(scratch, "ld-linux-x86-64.so.2"), "-x", "c", "/dev/null"),
  ];
  const failed = built.find(({ status }) => status !== 0);
  if (failed !== undefined) return { ...NATIVE, lack: `the musl shim did not compile: ${failed.stderr}` };
  return { prefix: [], env: { LD_PRELOAD: join(scratch, "shim.so"), LD_LIBRARY_PATH: scratch }, lack: undefined };
}
