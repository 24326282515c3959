/** Remote servers as Claude Code is told of them: which ways each version speaks, and the entries of its configuration. */

import type { RemoteMcp, RemoteWay } from "../../fakes/remote-mcp/remote-mcp.ts";
import { BIR } from "../../harness/locations.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { installedVersions, type Peer } from "./claude-peers.ts";
import type { Session } from "./sealed-claude.ts";

export interface RemotePeer extends Peer {
  way: RemoteWay;
}

/** An entry of `mcpServers`. */
export type Entry = { type: "http" | "sse"; url: string } | { command: string; args: string[]; env?: object };

/** Every installed version with every way that it speaks. Call once in a file. */
export function installedRemotes(): RemotePeer[] {
  return installedVersions().flatMap(({ version }) => {
    const ways: RemoteWay[] = version === "2.0.76" ? ["streamable", "sse"] : ["stateless", "streamable", "sse"];
    return ways.map((way): RemotePeer => ({ version, way, era: way === "stateless" ? "modern" : "legacy" }));
  });
}

/** The server itself, as the host reaches it without us. */
export function directly({ url, way }: RemoteMcp): Entry {
  return { type: way === "sse" ? "sse" : "http", url };
}

/** The server behind the proxy, which finds out by itself how it is spoken to. */
export function behindProxy({ url }: RemoteMcp, env: Record<string, string> = {}): Entry {
  return { command: BIR, args: ["proxy", "--server-name", "fake", "--url", url], env };
}

/** A session with this entry as its server `fake`, and with tools of its own. */
export function withEntry(box: Sandbox, entry: Entry): Pick<Session, "servers" | "flags" | "allowed"> {
  const config = box.file("remote.json", JSON.stringify({ mcpServers: { fake: entry } }));
  return { servers: {}, flags: ["--mcp-config", config], allowed: ["mcp__fake", "Bash", "Read", "Write"] };
}
