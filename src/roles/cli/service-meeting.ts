import { type Introduction, introduce } from "../../sinks/base-in/introduction.ts";
import { ServiceClient } from "../../sinks/base-in/service-client.ts";
import type { CliContext } from "./context.ts";

/** Asks a recordings service who it is, for a person who waits for the answer. */

/** Nobody waits longer than this for a command. */
const ANSWER_MS = 10_000;

export async function meet({ env, now, printError }: CliContext, url: string, token: string): Promise<Introduction> {
  const warn = (line: string) => void printError(`bir: ${line}`);
  const client = new ServiceClient({
    url,
    token,
    env,
    now,
    warn,
    connectTimeoutMs: ANSWER_MS,
    answerTimeoutMs: ANSWER_MS,
  });
  try {
    return await introduce(client);
  } finally {
    client.close();
  }
}
