/** The installed versions of Claude Code, each with the protocols that it comes to speak with a server. */

import { fileNeeds } from "../../harness/requirement.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { CLAUDE_VERSIONS, type ClaudeVersion, claudeCode } from "../installed.ts";

export interface Peer {
  version: ClaudeVersion;
  /** modern: 2026-07-28. */
  era: "modern" | "legacy";
}

const PEERS: readonly Peer[] = [
  { version: "2.1.332", era: "modern" },
  { version: "2.1.332", era: "legacy" },
  { version: "2.0.76", era: "legacy" },
];

/** Those that can run here. Call once in a file: for a version that cannot it registers the test that says why. */
export function installedPeers(): Peer[] {
  const present = CLAUDE_VERSIONS.filter((version) => {
    const { lack } = claudeCode(version);
    return fileNeeds(lack === undefined, lack ?? "");
  });
  return PEERS.filter(({ version }) => present.includes(version));
}

/** One of each version that can run here, with the newest protocol it speaks. Call once in a file. */
export function installedVersions(): Peer[] {
  const peers = installedPeers();
  return peers.filter(({ version }, index) => peers.findIndex((peer) => peer.version === version) === index);
}

/** The fake upstream, as a server of this era. */
export function upstreamOf(box: Sandbox, { era }: Peer, ...flags: string[]): string[] {
  return box.fake("--quiet", "--era", era === "modern" ? "both" : era, ...flags);
}

/** The newer version tells its servers which session they serve. */
export function recordedSession({ version }: Peer, sessionId: string): string | null {
  return version === "2.0.76" ? null : sessionId;
}
