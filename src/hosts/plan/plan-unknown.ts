import type { ConfigDocument } from "../edit/config-text.ts";
import { lineAndColumn } from "../edit/text-place.ts";
import { readEntries } from "../entry/server-entry.ts";
import { unwrapEntries } from "../entry/unwrap-entry.ts";
import type { Host, ServerList } from "../host.ts";
import type { LedgerRow } from "../ledger.ts";
import { samePath } from "./entry-rows.ts";
import type { FilePlan, FileTask, Outcome } from "./outcome.ts";

/**
 * Takes the proxy out of entries of which the ledger knows nothing, because it was lost or because somebody wrote them by hand:
 * only where a person names the server. What stood there before is worked out from the entry itself. Pure.
 */

export function planUnknown(host: Host, list: ServerList, servers: readonly string[]): FileTask {
  const { file, format } = list;
  return { file, format, plan: (document, rows) => planFile(document, host, list, servers, rows) };
}

function planFile(
  document: ConfigDocument | null,
  host: Host,
  list: ServerList,
  servers: readonly string[],
  rows: readonly LedgerRow[],
): FilePlan {
  if (document === null) return { after: null, outcomes: [], rows: [], retire: [] };
  const isKnown = (name: string) =>
    rows.some((row) => row.state !== "undone" && row.name === name && samePath(row.path, list.path));
  const unknown = readEntries(list, document).filter(
    ({ name, isOurs }) => isOurs && servers.includes(name) && !isKnown(name),
  );
  const back = unwrapEntries(
    document,
    unknown.map((entry) => ({ entry, traces: [] })),
  );
  const outcomes = unknown.map((entry): Outcome => {
    const kept = back.left.find((one) => one.entry === entry);
    return {
      what: kept === undefined ? "taken-out" : "conflict",
      hosts: [host.id],
      scope: list.scope,
      directory: list.directory,
      file: list.file,
      server: entry.name,
      line: lineAndColumn(document.text, entry.node.start).line,
      why: kept?.why.left ?? null,
    };
  });
  return { after: back.document.text, outcomes, rows: [], retire: [] };
}
