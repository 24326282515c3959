import { isAbsolute, relative, sep } from "node:path";
import type { CliContext } from "../context.ts";

/** A path as a person reads it most easily: from here, or from their home. */
export function shortPath(path: string, { cwd, userHome }: Pick<CliContext, "cwd" | "userHome">): string {
  return below(path, cwd, "") ?? below(path, userHome, `~${sep}`) ?? path;
}

function below(path: string, directory: string, prefix: string): string | null {
  const way = relative(directory, path);
  return way === "" || way.startsWith("..") || isAbsolute(way) ? null : prefix + way;
}
