import { EXIT } from "../core/exit-codes.ts";
import { exitAtOnce } from "../kit/c-library.ts";
import { isSet, readEnv } from "../kit/env.ts";
import { isSwitchedOff } from "../kit/off-switch.ts";
import { printError } from "../kit/output.ts";
import { runProxy } from "../proxy/proxy.ts";
import { readProxyOptions, UsageError } from "./proxy-options.ts";

/**
 * `bir proxy`: wires a stdio proxy together. The server is started before anything that is not needed for it is loaded.
 */

const DEFAULT_MESSAGE_BYTES = 128 * 1024 * 1024;

/** Answers the exit status: the server's own; 2 for a wrong command line. */
export async function proxyRole(words: readonly string[]): Promise<number> {
  if (words[0] === "--help" || words[0] === "-h") {
    return (await import("./proxy-usage.ts")).printProxyUsage();
  }
  try {
    const options = readProxyOptions(words);
    if (await isSwitchedOff(process.cwd())) {
      const { becomeServer } = await import("../upstream/become.ts");
      return await becomeServer(options.command);
    }
    const stayUp = options.stayUp || isSet("BIR_PROXY_STAY_UP");
    const takesIdsUpToBytes = options.correlation && idsArePutIn() ? mostMessageBytes() : null;
    const status = await runProxy({ ...options, stayUp, takesIdsUpToBytes });
    return endWith(status);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    await printError(`bir: ${error.message}`);
    return EXIT.usage;
  }
}

/** Hooks put ids of ours into calls only where a person has said how. */
function idsArePutIn(): boolean {
  return readEnv("BIR_CORRELATION_DECISION") !== undefined && !isSet("BIR_NO_CORRELATION");
}

function mostMessageBytes(): number {
  const bytes = Number(readEnv("BIR_UPSTREAM_MAX_MESSAGE_BYTES"));
  return bytes > 0 ? bytes : DEFAULT_MESSAGE_BYTES;
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
