import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { readService, readToken } from "../../../kit/config.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { meet } from "../service-meeting.ts";
import type { Login } from "./login.ts";

/** `bir whoami`: which service is sent to, and whether it lets us in just now. */

export interface WhoamiFlags {
  json: boolean;
}

export async function whoami(context: CliContext, flags: WhoamiFlags): Promise<ExitCode> {
  const service = readService(context.home);
  if (service === null) {
    throw new Problem("not-signed-in", "nothing is sent to a recordings service", LOGIN_HINT, EXIT.notSetUp);
  }
  const { url, since } = service;
  const token = readToken(url, context.home);
  if (token === null) throw new Problem("not-signed-in", `there is no token for ${url}`, LOGIN_HINT, EXIT.notSetUp);
  const found = await meet(context, url, token);
  if (flags.json) await printJson(context, { url, since, ...found } satisfies Login);
  else await context.print(`${visible(url)}\nIt ${found.words}.\n`);
  return found.meeting === "reached" ? EXIT.ok : EXIT.failed;
}

const LOGIN_HINT = "Sign in with `bir login --url URL --token-stdin`.";
