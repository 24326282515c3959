import type { ExitCode } from "../../../core/exit-codes.ts";
import { visible } from "../../../core/text/visible.ts";
import { serviceSecretsPath } from "../../../kit/paths.ts";
import { USUAL_PORT } from "../../../service/listen.ts";
import { VERSION } from "../../../version.ts";
import type { CliContext } from "../context.ts";
import { printJson } from "../json-output.ts";
import { type Addresses, runService } from "../service/run-service.ts";

/** `bir serve`: answers what was recorded here to the page and to programs, and takes in what other recorders send. */

export interface ServeFlags extends Addresses {
  json: boolean;
}

/** What `bir serve --json` prints, once it can be asked. The token is in the file, and nowhere else. */
export interface Serving {
  url: string;
  pid: number;
  version: string;
  tokenFile: string;
}

export async function serveRecordings(context: CliContext, flags: ServeFlags): Promise<ExitCode> {
  return await runService(context, flags, async ({ own: { url, pid } }) => {
    const tokenFile = serviceSecretsPath(context.home);
    const serving: Serving = { url, pid, version: VERSION, tokenFile };
    if (flags.json) await printJson(context, serving);
    for (const line of lines(serving, flags)) await context.printError(line);
  });
}

function lines({ url, tokenFile }: Serving, { port, host, "allow-host": names }: ServeFlags): string[] {
  const said = [`Serving at ${url}/ until Ctrl-C. \`bir view\` opens the page.`];
  const usual =
    port === undefined && !url.endsWith(`:${USUAL_PORT}`) ? [`Port ${USUAL_PORT} is taken, so it is another one.`] : [];
  said.push(...usual, `Another bir sends its runs here with the token in ${visible(tokenFile)}.`);
  if (host !== undefined && !/^(?:127\.|::1$)/.test(host)) {
    said.push(
      `Whoever reaches ${visible(host)} can ask, and with the token read everything; nothing on the way is encrypted.`,
    );
    if (names === undefined) said.push("Requests by a name are refused: allow it with --allow-host NAME.");
  }
  return said;
}
