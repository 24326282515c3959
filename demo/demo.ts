import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { serveOverHttp } from "./server-over-http.ts";

/**
 * The main job on real input: two reference MCP servers run behind `bir proxy`, one of them over HTTP too, in both ways; a real
 * MCP client makes sessions of calls (some fail, some carry a secret), and the recorded runs are printed. Leaves nothing behind.
 */

const root = join(import.meta.dir, "..");
const bir = join(root, "dist", process.platform === "win32" ? "bir.exe" : "bir");
const modules = join(root, "node_modules", "@modelcontextprotocol");
const everything = join(modules, "server-everything", "dist", "index.js");
const workspace = await mkdtemp(join(tmpdir(), "bir-demo-"));
const home = join(workspace, "home");
const files = join(workspace, "files");
/** Made at run time: a token that nobody ever issued. */
const token = `ghp_${"d3m0".repeat(9)}`;

type Call = [tool: string, args: Record<string, unknown>];

/** Runs one session with a server behind `bir proxy`: a script that is started, or one at an address. */
async function session(name: string, server: string[] | { url: string }, calls: Call[]): Promise<void> {
  const target = Array.isArray(server) ? ["--", process.execPath, ...server] : ["--url", server.url];
  const here = { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
  const transport = new StdioClientTransport({
    command: bir,
    args: ["proxy", "--server-name", name, ...target],
    env: { ...(process.env as Record<string, string>), ...here, BIR_HOME: home },
    cwd: workspace,
    stderr: "ignore",
  });
  const client = new Client({ name: "bir-demo", version: "1.0.0" });
  await client.connect(transport);
  for (const [tool, args] of calls) {
    const outcome = await client.callTool({ name: tool, arguments: args }).then(
      (result) => (result.isError ? "error" : "ok"),
      () => "error",
    );
    console.log(`  ${name} › ${tool}: ${outcome}`);
  }
  await client.close();
}

/** Runs one session with the reference server over HTTP. */
async function sessionOverHttp(
  name: string,
  way: "streamableHttp" | "sse",
  path: string,
  calls: Call[],
): Promise<void> {
  const server = await serveOverHttp(workspace, everything, way);
  try {
    await session(name, { url: server.origin + path }, calls);
  } finally {
    await server.end();
  }
}

async function birCommand(...words: string[]): Promise<string> {
  const child = Bun.spawn([bir, ...words], {
    env: { ...process.env, BIR_HOME: home },
    cwd: workspace,
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`bir ${words.join(" ")} failed`);
  return text;
}

function heading(text: string): void {
  console.log(`\n── ${text} ${"─".repeat(Math.max(0, 76 - text.length))}`);
}

try {
  await mkdir(files);
  await writeFile(join(files, "plan.md"), "# Plan\n\n1. Record everything.\n2. Disturb nothing.\n");

  heading("A real client makes calls; `bir proxy` sits in between");
  await session(
    "everything",
    [everything, "stdio"],
    [
      ["echo", { message: "hello, recorder" }],
      ["get-sum", { a: 19, b: 23 }],
      ["get-tiny-image", {}],
      ["get-sum", { a: "nineteen", b: 23 }],
      ["echo", { message: `deploy with token ${token}` }],
    ],
  );
  await session(
    "files",
    [join(modules, "server-filesystem", "dist", "index.js"), files],
    [
      ["read_text_file", { path: join(files, "plan.md") }],
      ["write_file", { path: join(files, "done.md"), content: "Recorded.\n" }],
      ["read_text_file", { path: "/etc/shadow" }],
    ],
  );

  await sessionOverHttp("everything-http", "streamableHttp", "/mcp", [
    ["echo", { message: "hello over Streamable HTTP" }],
    ["get-structured-content", { location: "Chicago" }],
    ["get-sum", { a: "nineteen", b: 23 }],
    ["echo", { message: `deploy with token ${token}` }],
  ]);
  await sessionOverHttp("everything-sse", "sse", "/sse", [
    ["echo", { message: "hello over SSE" }],
    ["get-sum", { a: 19, b: 23 }],
    ["get-sum", { a: "nineteen", b: 23 }],
  ]);

  heading("bir run list");
  console.log(await birCommand("run", "list"));
  const runs = JSON.parse(await birCommand("run", "list", "--json")) as { id: string }[];
  for (const { id } of runs.toReversed()) {
    heading(`bir run show ${id.slice(0, 16)}…`);
    const story = await birCommand("run", "show", id);
    if (story.includes(token)) throw new Error("a secret was recorded");
    console.log(story);
  }
  heading("Next");
  console.log("  bir install    has the MCP servers of your own hosts recorded (--dry-run shows what it would change)");
  console.log("  bir view       then shows what they did in a browser, live; `bir run show` in the terminal\n");
} finally {
  await rm(workspace, { recursive: true, force: true });
}
