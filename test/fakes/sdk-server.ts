/**
 * A stdio server made with the official SDK (v2), which serves both protocol generations: the modern one has no
 * reference server to install yet. Tools: echo, fail, forecast (structured), steps (progress), wait (until cancelled),
 * choose (asks the person: by elicitation/create before 2026-07-28, by an input_required result since).
 */

import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const CHOICE = z.object({ colour: z.string() });
const QUESTION = { message: "Which colour?", requestedSchema: CHOICE };

serveStdio(({ era }) => {
  const server = new McpServer({ name: "sdk-server", version: "1.0.0" }, { capabilities: { tools: {} } });

  server.registerTool("echo", { inputSchema: z.object({ message: z.string() }) }, ({ message }) => text(message));
  server.registerTool("fail", { inputSchema: z.object({}) }, () => ({ ...text("it failed"), isError: true }));
  server.registerTool(
    "forecast",
    { inputSchema: z.object({ city: z.string() }), outputSchema: z.object({ celsius: z.number() }) },
    () => ({ ...text('{"celsius":21.5}'), structuredContent: { celsius: 21.5 } }),
  );
  server.registerTool("steps", { inputSchema: z.object({ count: z.number() }) }, async ({ count }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= count && progressToken !== undefined; progress++) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: count } });
    }
    return text(`${count} steps`);
  });
  server.registerTool("wait", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    process.stderr.write("waiting\n");
    await new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve));
    process.stderr.write("cancelled\n");
    return text("too late");
  });
  server.registerTool("choose", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    if (era === "modern") {
      const choice = acceptedContent(mcpReq.inputResponses, "choice", CHOICE);
      if (choice === undefined) return inputRequired({ inputRequests: { choice: inputRequired.elicit(QUESTION) } });
      return text(`chose ${choice.colour}`);
    }
    const properties = { colour: { type: "string" as const } };
    const requestedSchema = { type: "object" as const, properties, required: ["colour"] };
    const { content } = await mcpReq.elicitInput({ mode: "form", message: QUESTION.message, requestedSchema });
    return text(`chose ${String(content?.colour)}`);
  });
  return server;
});
