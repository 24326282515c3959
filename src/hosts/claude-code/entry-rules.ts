import { isDeepStrictEqual } from "node:util";
import type { LeftCode } from "../entry/left.ts";
import { findProxy } from "../entry/our-words.ts";
import type { Place } from "../host.ts";
import { type ApprovalSources, approvalOf } from "./approvals.ts";
import { asObject, asStrings, type JsonObject, member, readJsonObject } from "./json-file.ts";
import { pathsOf } from "./places.ts";
import type { PluginServer } from "./plugin-servers.ts";
import type { Policies } from "./policies.ts";
import { above, type Project } from "./repository.ts";
import type { EntryFacts, HostReason } from "./scopes.ts";

/**
 * Why an entry of Claude Code is left as it is: the rules of docs/decisions/0010-install.md. When in doubt it is left. Reads,
 * never writes.
 */

export const RESERVED_NAMES = ["claude-in-chrome", "workspace", "computer-use"] as const;

/** What the rules look at. */
export interface RuleContext {
  place: Place;
  project: Project;
  policies: Policies;
  plugins: readonly Pick<PluginServer, "name" | "words">[];
  approvals: ApprovalSources;
  /** The servers in the list that copies go into. */
  local: JsonObject;
}

/** A file of shared servers, as the host comes across it. */
export interface SharedFile {
  directory: string;
  file: string;
  servers: JsonObject;
}

/** What holds for every scope. */
export function commonReason(
  { policies, plugins }: RuleContext,
  entry: EntryFacts,
  wrapped: readonly string[],
): HostReason | null {
  if ((RESERVED_NAMES as readonly string[]).includes(entry.name)) {
    return because("reserved-name", "Claude Code keeps this name for itself");
  }
  if (policies.refusesAll !== null) return because("managed", policies.refusesAll);
  if (entry.url !== null && entry.transport === null) {
    return because("unused", 'it has no "type", so Claude Code does not use it');
  }
  const words = entry.command === null ? null : [entry.command, ...entry.args];
  const twin = plugins.find((one) => words !== null && isDeepStrictEqual(one.words, words));
  if (twin === undefined) return policies.leave(entry, wrapped);
  return because("twin", `${twin.name} runs the same command, and would be started too if this one's were changed`);
}

/** Of a shared entry, `nearer` being the files that win over its own: changed where it is, or copied (`isCopied`). */
export function sharedReason(
  context: RuleContext,
  entry: EntryFacts,
  { file, nearer, isCopied }: { file: SharedFile; nearer: readonly SharedFile[]; isCopied: boolean },
): HostReason | null {
  return (
    hiddenReason(entry, nearer) ??
    approvalReason(context, entry, isCopied) ??
    (isCopied ? (copyReason(context, entry) ?? reachReason(context, entry, file)) : null)
  );
}

function hiddenReason({ name }: EntryFacts, nearer: readonly SharedFile[]): HostReason | null {
  const hiding = nearer.find(({ servers }) => Object.hasOwn(servers, name));
  if (hiding === undefined) return null;
  return because("hidden", `${hiding.file} has one of the same name, which is used instead`);
}

/** A copy is never asked about. An entry that is wrapped where it is still is. */
function approvalReason({ approvals }: RuleContext, { name }: EntryFacts, isCopied: boolean): HostReason | null {
  const approval = approvalOf(name, approvals);
  if (approval === "rejected") return because("rejected", "it was rejected for this project");
  if (approval === "approved" || !isCopied) return null;
  const advice = "start Claude Code here and say yes to it, then install again";
  return because("not-approved", `it is not approved yet: ${advice}`);
}

function copyReason({ local }: RuleContext, { name }: EntryFacts): HostReason | null {
  if (!Object.hasOwn(local, name) || isOurs(asObject(local[name]))) return null;
  return because("hidden", "this project's local scope has one of the same name, which is used instead");
}

/** A copy is used in the whole project, in each of its worktrees: is the entry, too? */
function reachReason(
  { place, project }: RuleContext,
  { name }: EntryFacts,
  { directory, servers }: SharedFile,
): HostReason | null {
  const { key, root, mainRoot } = project;
  if (directory === key || above(place, key).includes(directory)) return null;
  const inPlace = "use --mcp-json to wrap it where it is";
  if (directory !== root || root === mainRoot) {
    const why = "it is only for a part of the project, and a copy of it would be used in all of it";
    return because("part-of-project", `${why}: ${inPlace}`);
  }
  const main = asObject(member(readJsonObject(pathsOf(place).join(key, ".mcp.json")), "mcpServers"));
  if (isDeepStrictEqual(member(main, name), member(servers, name))) return null;
  const why = `a copy of it would be used in every worktree, and ${key} does not have the same`;
  return because("other-worktree", `${why}: ${inPlace}`);
}

function because(code: LeftCode, why: string): HostReason {
  return { code, why };
}

function isOurs(entry: JsonObject): boolean {
  return findProxy([String(member(entry, "command") ?? ""), ...asStrings(member(entry, "args"))]) !== null;
}
