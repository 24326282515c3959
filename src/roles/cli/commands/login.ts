import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { isToken, readService, type ServiceConfig, saveService } from "../../../kit/config.ts";
import { serviceUrl, UnusableUrl } from "../../../kit/service-url.ts";
import { startServer } from "../../../kit/start-server.ts";
import type { Introduction } from "../../../sinks/base-in/introduction.ts";
import type { CliContext } from "../context.ts";
import { asHomeProblem } from "../home-problem.ts";
import { printJson } from "../json-output.ts";
import { meet } from "../service-meeting.ts";

/** `bir login`: keeps the address of a service and the token that it lets in, and says what is there. The token is never shown. */

export interface LoginFlags {
  url: string | undefined;
  "token-stdin": boolean;
  "from-start": boolean;
  "allow-http": boolean;
  json: boolean;
}

/** What `bir login --json` prints; `bir whoami --json` the same. */
export interface Login extends Introduction {
  url: string;
  /** Runs that began before (epoch ms) are not sent; 0: everything is. */
  since: number;
}

export async function login(context: CliContext, flags: LoginFlags): Promise<ExitCode> {
  const url = readUrl(flags);
  const token = await readToken(context, flags);
  const service = serviceFor(url, flags, knownService(context.home), context.now());
  asHomeProblem(context.home, () => saveService(service, token, context.home));
  const found = await meet(context, url, token);
  if (flags.json) await printJson(context, { url, since: service.since, ...found } satisfies Login);
  else await context.print(`${sentences(service, found).join("\n")}\n`);
  // Whoever waits for what lies here wants it sent now, not with the next session.
  if (service.since === 0 && found.meeting !== "refused") startServer(context.home);
  return found.meeting === "refused" ? EXIT.failed : EXIT.ok;
}

function readUrl({ url, "allow-http": allowHttp }: LoginFlags): string {
  if (url === undefined) throw usage("the service's address is missing", "Write `--url https://HOST`.");
  try {
    return serviceUrl(url, allowHttp);
  } catch (cause) {
    if (!(cause instanceof UnusableUrl)) throw cause;
    throw usage(`this address cannot be used: ${cause.message}`, "See `bir login --help`.");
  }
}

async function readToken(context: CliContext, flags: LoginFlags): Promise<string> {
  const hint = "Write `bir login --url URL --token-stdin < FILE`, the token alone in the file.";
  if (!flags["token-stdin"]) throw usage("the token is missing: it is read from stdin only, with --token-stdin", hint);
  const token = (await context.readInput()).trim();
  if (token === "") throw usage("there is no token in stdin", hint);
  if (!isToken(token)) throw usage("what is in stdin is no token: it has to be one line without spaces", hint);
  return token;
}

/** Signing in again at the same address goes on where it was. */
function serviceFor(url: string, flags: LoginFlags, known: ServiceConfig | null, now: number): ServiceConfig {
  const since = known?.url === url ? known.since : now;
  return { url, allowHttp: flags["allow-http"], since: flags["from-start"] ? 0 : since };
}

/** Settings that name a service which cannot be used are what this command puts right. */
function knownService(home: string): ServiceConfig | null {
  try {
    return readService(home);
  } catch (cause) {
    if (cause instanceof Problem) return null;
    throw cause;
  }
}

function sentences({ url, since }: ServiceConfig, { meeting, words }: Introduction): string[] {
  const what = since === 0 ? "Everything that is recorded" : "Runs that begin from now on";
  const verb = since === 0 ? "is" : "are";
  if (meeting === "reached") {
    return [`${what} ${verb} sent to ${visible(url)}.`, `It ${words}. \`bir status\` shows what waits.`];
  }
  const then = {
    odd: "Look whether the address is right. `bir status` shows what waits.",
    unreachable: "It is tried again when there is something to send; `bir status` shows what waits.",
    refused: "Nothing is sent before you sign in with a token that it knows.",
  }[meeting];
  const once = { odd: "once it takes them", unreachable: "once it can be reached", refused: "once it lets you in" }[
    meeting
  ];
  return [
    `${visible(url)} ${words}. ${then}`,
    `The address and the token are saved. ${what} ${verb} to go there ${once}.`,
  ];
}

function usage(message: string, hint: string): Problem {
  return new Problem("usage", message, hint, EXIT.usage);
}
