/** How hosts name the tools of MCP servers: `mcp__SERVER__TOOL`. */

/** A server's name as it is spelled there. */
export function spelledServer(server: string): string {
  return server.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** What the names of all tools of a server begin with. */
export function toolPrefix(server: string): string {
  return `mcp__${spelledServer(server)}__`;
}
