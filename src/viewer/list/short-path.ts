/** A directory in short: its last two names, which tell a person which project it is. Pure. */
export function shortPath(path: string): string {
  const parts = path.split(/[\\/]+/).filter((part) => part !== "");
  if (parts.length <= 2) return path;
  return `…/${parts.slice(-2).join("/")}`;
}
