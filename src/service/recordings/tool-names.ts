import type { RedactedText } from "../../core/redacted.ts";
import { recordedText } from "./contents.ts";

/** A call's names. */
export interface ToolNames {
  server: RedactedText | null;
  tool: RedactedText;
  qualifiedName: RedactedText;
}

const QUALIFIED = /^mcp__(.+?)__(.+)$/s;

/** What a sender that names only a tool says of the server, if its host names tools as most do: `mcp__SERVER__TOOL`. */
export function namesOf(toolName: string): ToolNames {
  const [, server, tool] = QUALIFIED.exec(toolName) ?? [];
  const qualifiedName = recordedText(toolName);
  if (server === undefined || tool === undefined) return { server: null, tool: qualifiedName, qualifiedName };
  return { server: recordedText(server), tool: recordedText(tool), qualifiedName };
}
