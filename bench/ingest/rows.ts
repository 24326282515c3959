/** Rows of about one kilobyte, as another bir sends them: what an agent's calls look like, told apart by their number. */

const WORDS =
  "the build failed because module resolution could not find a matching export in path src index test cache".split(" ");

function filler(n: number, length: number): string {
  let text = "";
  for (let i = n; text.length < length; i += 7) text += `${WORDS[i % WORDS.length]} ${i % 97} `;
  return text.slice(0, length);
}

export function runJson(id: string): string {
  const metadata = {
    recorder: "baseinstrunner",
    tier: "bound",
    host: { app: "claude-code", version: "2.1.332" },
    wrappedServers: ["files"],
    lossy: false,
    gaps: [],
    sessionId: `session-${id}`,
    cwd: "/home/ada/project",
  };
  return JSON.stringify({ id, input: "Find out why the build fails", metadata, bir: { startedAt: 1_795_528_800_000 } });
}

/** Row `n` of a run: a call, or the answer to the call before. */
export function rowJson(run: string, n: number): string {
  const seq = n >> 1;
  const stepId = `step_${run}_${seq}`;
  const at = 1_795_528_800_000 + n * 10;
  if (n % 2 === 0) {
    const bir = {
      stepId,
      seq,
      at,
      server: "files",
      qualifiedName: "mcp__files__read",
      callId: `toolu_${run}_${seq}`,
      join: "host-id",
      agentId: null,
      startedAt: at,
      sources: ["proxy", "hook"],
      truncated: false,
      hostMeta: {},
    };
    const toolInput = { path: `src/part-${seq}.ts`, query: filler(n, 560) };
    const id = `${stepId}-selected`;
    return JSON.stringify({ id, stepIndex: n, type: "tool_selected", toolName: "read", toolInput, bir });
  }
  const bir = {
    stepId,
    seq,
    at,
    status: "ok",
    isError: false,
    durationMs: 9.5,
    waitingMs: 0,
    legs: 1,
    progress: 0,
    truncated: false,
    join: null,
    rpcError: null,
  };
  const toolOutput = { content: [{ type: "text", text: filler(n, 680) }], isError: false };
  return JSON.stringify({ id: `${stepId}-response`, stepIndex: n, type: "tool_response", toolOutput, bir });
}
