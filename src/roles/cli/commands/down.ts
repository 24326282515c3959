import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { type Stopped, stopServer, switchDown } from "../stop-server.ts";

/** `bir down`: switches the control server down, so that nothing starts one until `bir up`, and stops the one that is there. */

export interface DownFlags {
  json: boolean;
}

export async function down(context: CliContext, flags: DownFlags): Promise<ExitCode> {
  switchDown(context.home);
  const result = await stopServer(context);
  if (flags.json) await printJson(context, result);
  else await context.print(`${sentences(result).join("\n")}\n`);
  return EXIT.ok;
}

function sentences({ server, pid, killed }: Stopped): string[] {
  const after = "Proxies record by themselves until `bir up`; what hooks tell waits for it.";
  if (server === "none") return ["The control server was not running; nothing starts it now.", after];
  if (server === "silent") {
    return [
      `The control server (pid ${pid}) does not answer, so it was not stopped; it goes by itself once it can.`,
      `If it never does: kill -KILL ${pid}. What it has acknowledged is safe.`,
      after,
    ];
  }
  const how = killed ? "did not go in time and was killed; what it had acknowledged is safe" : "is stopped";
  return [`The control server (pid ${pid}) ${how}.`, after];
}
