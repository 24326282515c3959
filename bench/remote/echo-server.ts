/** Starts the remote server that everything is measured against (`mcp-http-echo.c`). */

export interface EchoServer {
  /** Where it answers with JSON. */
  jsonUrl: string;
  /** Where it answers with an event stream. */
  streamUrl: string;
  stop(): Promise<void>;
}

/** Returns once it listens. `pin` is the CPU it stays on, −1 for any. */
export async function startEchoServer(program: string, pin: number): Promise<EchoServer> {
  const child = Bun.spawn([program, String(pin)], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const port = await readLine(child.stdout);
  if (!/^\d+$/.test(port)) throw new Error(`the server did not start: ${program} told '${port}' instead of its port`);
  const at = `http://127.0.0.1:${port}`;
  return {
    jsonUrl: `${at}/mcp`,
    streamUrl: `${at}/sse`,
    stop: async () => {
      // It ends with its stdin, also when this process is killed.
      child.stdin.end();
      await child.exited;
    },
  };
}

async function readLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return text.trim();
}
