/** The fake upstream's MCP server (see upstream.ts) with every tool marked read-only: hosts may call those in parallel. */

import { parseArgs } from "node:util";
import { serveMcp } from "./mcp-server.ts";
import { TOOLS } from "./mcp-tools.ts";

const { values: flags } = parseArgs({ options: { era: { type: "string", default: "both" } } });
for (const tool of TOOLS) tool.annotations = { readOnlyHint: true };
serveMcp({ legacy: flags.era !== "modern", modern: flags.era !== "legacy", discoverSilent: false, onEof: 0 });
