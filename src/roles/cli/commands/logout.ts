import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { readService, removeService } from "../../../kit/config.ts";
import type { CliContext } from "../context.ts";
import { asHomeProblem } from "../home-problem.ts";
import { printJson } from "../json-output.ts";

/** `bir logout`: forgets the service and its token. What was sent stays there, and how far it came is kept for another time. */

export interface LogoutFlags {
  json: boolean;
}

/** What `bir logout --json` prints: the service that was left, or null. */
export interface Logout {
  url: string | null;
}

export async function logout(context: CliContext, flags: LogoutFlags): Promise<ExitCode> {
  const url = serviceLeft(context.home);
  asHomeProblem(context.home, () => removeService(context.home));
  if (flags.json) await printJson(context, { url } satisfies Logout);
  else {
    const line =
      url === null ? "There was no recordings service to leave." : `Nothing is sent to ${visible(url)} any more.`;
    await context.print(`${line}\n`);
  }
  return EXIT.ok;
}

/** One whose settings cannot be used is left as well. */
function serviceLeft(home: string): string | null {
  try {
    return readService(home)?.url ?? null;
  } catch (cause) {
    if (cause instanceof Problem) return null;
    throw cause;
  }
}
