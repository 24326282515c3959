/** Asks a program one question and gives what it prints. Bounded in time and size; waits for nothing that the program starts. */

const MOST_CHARACTERS = 64 * 1024;

export interface Question {
  /** The whole environment of the program. */
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  withinMs: number;
}

/** What it prints on its standard output; null when it cannot start, fails, says nothing in time, or says too much. */
export async function answerOf(command: readonly string[], { env, cwd, withinMs }: Question): Promise<string | null> {
  try {
    const child = Bun.spawn([...command], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...env },
      cwd,
      timeout: withinMs,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
    const [said, code] = await Promise.all([readHead(child.stdout, withinMs), child.exited]);
    return code === 0 && said !== "" ? said : null;
  } catch {
    return null;
  }
}

/** What comes before the end, which a grandchild that holds the pipe may put off for ever. */
async function readHead(stream: ReadableStream<Uint8Array>, withinMs: number): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), withinMs);
  let text = "";
  try {
    while (text.length < MOST_CHARACTERS) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    return text.length < MOST_CHARACTERS ? text : "";
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
  }
}
