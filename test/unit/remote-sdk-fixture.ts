import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** The official client of the 2026-07-28 protocol before a made-up server: what it keeps of a list of tools, and what it sends. */

export interface Tool {
  name: string;
  inputSchema: { type: "object"; [key: string]: unknown };
}

/** One request as the client wrote it. */
export interface Sent {
  /** Only `mcp-…`, names in small letters. */
  headers: Record<string, string>;
  body: string;
}

export interface SdkClient {
  client: Client;
  /** Requests sent so far, the latest last. */
  sent: Sent[];
  listedNames(): Promise<string[]>;
}

const DISCOVERED = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {}, prompts: {}, resources: {} },
};
const RESULTS: Record<string, object> = {
  "server/discover": DISCOVERED,
  "tools/call": { content: [] },
  "prompts/get": { messages: [] },
  "resources/read": { contents: [] },
};

export async function sdkClient(tools: readonly Tool[]): Promise<SdkClient> {
  const sent: Sent[] = [];
  const answer = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = String(init?.body);
    const headers = Object.fromEntries([...new Headers(init?.headers)].filter(([name]) => name.startsWith("mcp-")));
    sent.push({ headers, body });
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (id === undefined) return new Response(null, { status: 202 });
    const told = method === "tools/list" ? { tools } : RESULTS[method];
    const result = { resultType: "complete", ttlMs: 60_000, cacheScope: "private", ...told };
    return Response.json({ jsonrpc: "2.0", id, result });
  };
  const client = new Client({ name: "client", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1:1/mcp"), { fetch: answer }));
  return {
    client,
    sent,
    listedNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
  };
}
