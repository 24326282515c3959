import type { ConfigDocument, ConfigFormatId } from "../edit/config-text.ts";
import { nodeAt } from "../edit/text-place.ts";
import type { ServerList } from "../host.ts";

/** Finds the list of servers in a file that no host is known for: the place and form that some known host would use. Pure. */

/** By the file's name; JSON may have comments, since nothing is known of who reads it. */
export function formatOfFile(file: string): ConfigFormatId {
  if (/\.toml$/i.test(file)) return "toml";
  return /\.ya?ml$/i.test(file) ? "yaml" : "jsonc";
}

/** The first of the known lists whose place is in the document, for `file`; null where there is none. */
export function listInFile(file: string, document: ConfigDocument, known: readonly ServerList[]): ServerList | null {
  for (const list of known) {
    const node = nodeAt(document.root, list.path);
    const kind = list.shape.names === "keys" ? "object" : "array";
    if (node?.kind !== kind || isPersonal(list)) continue;
    return { ...list, scope: "user", directory: null, file, format: document.format };
  }
  return null;
}

/** Places that hold a path of this machine are nobody else's. */
function isPersonal({ path }: ServerList): boolean {
  return path.some((step) => typeof step === "string" && /[/\\]/.test(step));
}
