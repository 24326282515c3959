/** Less is not worth what is hidden. */
const LEAST_SAVED = 6;

/** A directory in short: its last two names, which tell a person which project it is. Pure. */
export function shortPath(path: string): string {
  const parts = path.split(/[\\/]+/).filter((part) => part !== "");
  if (parts.length <= 2) return path;
  const short = `…/${parts.slice(-2).join("/")}`;
  return path.length - short.length < LEAST_SAVED ? path : short;
}
