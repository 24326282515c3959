import { birHome, joinPath, selfAndParents } from "./paths.ts";

/**
 * What the ledger of installations says of directories: read by proxies, which want one answer and none of the rest. Never
 * throws: a ledger that cannot be read says nothing.
 */

export interface SetUpFor {
  /** Recording was set up for one of the directories, or for all there are. */
  isSetUp: boolean;
  /** And a host's hooks run there, which tell the control server of each session. */
  hasHooks: boolean;
}

export async function setUpFor(directories: readonly string[], home = birHome()): Promise<SetUpFor> {
  const found: SetUpFor = { isSetUp: false, hasHooks: false };
  const ledger = await readLedger(joinPath(home, "installed.json"));
  if (ledger === null) return found;
  const around = new Set(directories.flatMap(selfAndParents));
  const concerns = (directory: unknown) => typeof directory === "string" && around.has(directory);
  const { setUp, rows } = ledger;
  if (isRecord(setUp)) {
    found.isSetUp = setUp.everywhere === true || asList(setUp.directories).some(concerns);
  }
  for (const row of asList(rows)) {
    if (!isRecord(row) || row.state === "undone") continue;
    const isHooks = row.kind === "hooks";
    if (!(concerns(row.directory) || (isHooks && row.scope === "user"))) continue;
    found.isSetUp = true;
    found.hasHooks ||= isHooks;
  }
  return found;
}

async function readLedger(path: string): Promise<Record<string, unknown> | null> {
  try {
    const value: unknown = JSON.parse(await Bun.file(path).text());
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
