/** What a 2026-07-28 server must check of a request's headers against its body (SEP-2243, SEP-2575). Pure. */

import type { IncomingHttpHeaders } from "node:http";
import { asObject, CODE, type Json, META, type Message, metaOf, type RpcError } from "./message.ts";

/** The error to answer with, or undefined when header and body agree. */
export async function headerError(
  headers: IncomingHttpHeaders,
  message: Message,
  toolOf: (name: string) => Promise<Json | undefined>,
): Promise<RpcError | undefined> {
  const version = headers["mcp-protocol-version"];
  if (version === undefined) return mismatch("MCP-Protocol-Version is missing");
  if (message.id !== undefined) {
    const named = metaOf(message)[META.version];
    if (named === undefined) return { code: CODE.params, message: `_meta lacks ${META.version}` };
    if (named !== version) return mismatch("MCP-Protocol-Version does not match _meta");
  }
  if (headers["mcp-method"] !== message.method) return mismatch("Mcp-Method does not match the method");
  const name = nameOf(message);
  if (name !== undefined && decoded(headers["mcp-name"]) !== name) return mismatch("Mcp-Name does not match the body");
  if (message.method === "tools/call") {
    return parameterError(headers, asObject(message.params?.arguments), await toolOf(String(name)));
  }
  return undefined;
}

function nameOf({ method, params }: Message): unknown {
  if (method === "tools/call" || method === "prompts/get") return params?.name;
  if (method === "resources/read") return params?.uri;
  if (["tasks/get", "tasks/update", "tasks/cancel"].includes(String(method))) return params?.taskId;
  return undefined;
}

/** The annotated parameters of the fixture's tools are all top-level ones. */
function parameterError(headers: IncomingHttpHeaders, args: Json, tool: Json | undefined): RpcError | undefined {
  for (const [name, schema] of Object.entries(asObject(asObject(tool?.inputSchema).properties))) {
    const suffix = asObject(schema)["x-mcp-header"];
    if (typeof suffix !== "string") continue;
    const value = args[name] ?? undefined;
    const header = decoded(headers[`mcp-param-${suffix.toLowerCase()}`]);
    if (header !== (value === undefined ? undefined : String(value))) {
      return mismatch(`Mcp-Param-${suffix} does not match the argument`);
    }
  }
  return undefined;
}

/** A header's value without its base64 wrapping; null when the wrapping is there and wrong. */
function decoded(header: string | string[] | undefined): string | null | undefined {
  const [, wrapped] = /^=\?base64\?(.*)\?=$/.exec(String(header)) ?? [];
  if (header === undefined || wrapped === undefined) return header === undefined ? undefined : String(header);
  const bytes = Buffer.from(wrapped, "base64");
  return bytes.toString("base64") === wrapped ? bytes.toString() : null;
}

function mismatch(message: string): RpcError {
  return { code: CODE.headers, message };
}
