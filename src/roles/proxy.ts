import { EXIT } from "../core/exit-codes.ts";
import { Problem } from "../core/problem.ts";
import { exitAtOnce } from "../kit/c-library.ts";
import { isSet, readEnv } from "../kit/env.ts";
import { readNumber } from "../kit/env-number.ts";
import { isSwitchedOff } from "../kit/off-switch.ts";
import { printError } from "../kit/output.ts";
import { runProxy } from "../proxy/proxy.ts";
import { startProcess } from "../upstream/stdio-process.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { type ProxyCommandLine, readProxyOptions, UsageError } from "./proxy-options.ts";

/**
 * `bir proxy`: wires a proxy together. The server is started before anything that is not needed for it is loaded.
 */

/** Answers the exit status: the server's own; 2 for a wrong command line. */
export async function proxyRole(words: readonly string[]): Promise<number> {
  if (words[0] === "--help" || words[0] === "-h") {
    return (await import("./proxy-usage.ts")).printProxyUsage();
  }
  try {
    const options = readProxyOptions(words);
    // Only a program can be become: a remote server is relayed, and nothing recorded.
    if (options.command !== null && (await isSwitchedOff(process.cwd()))) {
      const { becomeServer } = await import("../upstream/become.ts");
      return await becomeServer(options.command);
    }
    const start = await starterOf(options);
    const stayUp = options.stayUp || isSet("BIR_PROXY_STAY_UP");
    const takesIdsUpToBytes =
      options.correlation && idsArePutIn() ? readNumber("BIR_UPSTREAM_MAX_MESSAGE_BYTES") : null;
    const status = await runProxy({ ...options, start, stayUp, takesIdsUpToBytes });
    return endWith(status);
  } catch (error) {
    const usage = usageText(error);
    if (usage === null) throw error;
    await printError(`bir: ${usage}`);
    return EXIT.usage;
  }
}

async function starterOf({ serverName, command, remote }: ProxyCommandLine): Promise<() => Upstream> {
  if (command !== null) return () => startProcess(command);
  const { prepareRemote } = await import("../upstream/remote/start.ts");
  return prepareRemote(serverName, remote);
}

/** Hooks put ids of ours into calls only where a person has said how. */
function idsArePutIn(): boolean {
  return readEnv("BIR_CORRELATION_DECISION") !== undefined && !isSet("BIR_NO_CORRELATION");
}

/** What is wrong with the command line or what it names; null for any other error. */
function usageText(error: unknown): string | null {
  if (error instanceof UsageError) return error.message;
  return error instanceof Problem && error.exitCode === EXIT.usage ? `${error.message}. ${error.hint}` : null;
}

/** Everything is written by now. Where the process cannot end at once, it ends the ordinary way. */
function endWith(status: number): number {
  try {
    exitAtOnce(status);
  } catch {
    // No C library to be had.
  }
  return status;
}
