import { EXIT } from "../core/exit-codes.ts";
import { isSet } from "../kit/env.ts";
import { isSwitchedOff } from "../kit/off-switch.ts";
import { printError } from "../kit/output.ts";
import { runProxy } from "../proxy/proxy.ts";
import { readProxyOptions, UsageError } from "./proxy-options.ts";

/**
 * `bir proxy`: wires a stdio proxy together. The server is started before anything that is not needed for it is loaded.
 */

/** Answers the exit status: the server's own; 2 for a wrong command line. */
export async function proxyRole(words: readonly string[]): Promise<number> {
  if (words[0] === "--help" || words[0] === "-h") {
    const { PROXY_USAGE } = await import("./proxy-usage.ts");
    await Bun.write(Bun.stdout, PROXY_USAGE);
    return EXIT.ok;
  }
  try {
    const options = readProxyOptions(words);
    if (await isSwitchedOff(process.cwd())) {
      const { becomeServer } = await import("../upstream/become.ts");
      return await becomeServer(options.command);
    }
    return await runProxy({ ...options, stayUp: options.stayUp || isSet("BIR_PROXY_STAY_UP") });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    await printError(`bir: ${error.message}`);
    return EXIT.usage;
  }
}
