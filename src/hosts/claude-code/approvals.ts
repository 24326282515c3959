import { asObject, asStrings, type JsonObject, member } from "./json-file.ts";
import { elementsOf, type Settings, settingsWith } from "./settings.ts";

/**
 * Whether a person has said yes to a server of a `.mcp.json`. When in doubt they have not: a copy of ours in the local scope
 * would never be asked about. Pure.
 */

export type Approval = "approved" | "pending" | "rejected";

export interface ApprovalSources {
  settings: readonly Settings[];
  /** What the host remembers of the project, from its state file. */
  remembered: JsonObject;
}

/** What is said about the server of this name. */
export function approvalOf(name: string, { settings, remembered }: ApprovalSources): Approval {
  // Where an earlier version kept it; it counts until the host has moved it.
  const own: Settings = { source: "local", file: "", values: remembered };
  const rejections = asStrings(elementsOf([...settings, own], "disabledMcpjsonServers"));
  if (rejections.some((one) => plain(one) === plain(name))) return "rejected";
  const isTrusted = member(remembered, "hasTrustDialogAccepted") === true;
  const counting = isTrusted
    ? [...settings, own]
    : settings.filter(({ source }) => source === "managed" || source === "user");
  if (settingsWith(counting, "enableAllProjectMcpServers", true) !== undefined) return "approved";
  // A yes is for exactly this name.
  return asStrings(elementsOf(counting, "enabledMcpjsonServers")).includes(name) ? "approved" : "pending";
}

/** What the host remembers of a project, from the `projects` of its state. */
export function rememberedOf(projects: JsonObject, key: string): JsonObject {
  return asObject(member(projects, key));
}

/** A name as it stands in the names of tools. */
function plain(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}
