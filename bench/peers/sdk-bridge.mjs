// What one writes in an afternoon: the official SDK's Client and Server joined, every message parsed, checked against
// its schema and written anew. Records nothing. Usage: sdk-bridge.mjs COMMAND ARGS…
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "sdk-bridge", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, stderr: "inherit" }));

const server = new Server(client.getServerVersion(), { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, (request) => client.listTools(request.params));
server.setRequestHandler(CallToolRequestSchema, (request) => client.callTool(request.params));
await server.connect(new StdioServerTransport());

process.stdin.on("end", async () => {
  await client.close();
  process.exit(0);
});
