import { command, noWords, option, optionalWord, repeatedOption, toggle } from "./args.ts";
import { knownRuns } from "./run-commands.ts";

/** `bir serve` and `bir view`, for the list of commands. */

const json = toggle("Prints JSON, for programs");
const port = option("N", "The port, in place of 7331 or, where that is taken, any other", parsePort);
const anyNames = repeatedOption("NAME", "Answers requests for this host name, too; several times for more");
const hostNames: typeof anyNames = { definition: { ...anyNames.definition, parse: parseHostName } };

export const SERVE = command({
  brief: "Serves what is recorded here, to its page and to programs",
  detail: [
    "Runs until Ctrl-C, and is reached from this machine only unless --host says otherwise. The page is let in by `bir view`; programs",
    "show the token in service.json under $BIR_HOME. Other recorders may send their runs. GET /openapi.json describes it all.",
  ].join("\n"),
  flags: {
    port,
    host: option("ADDRESS", "Listens on this address, too; 0.0.0.0 is every one of this machine", parseAddress),
    "allow-host": hostNames,
    json,
  },
  words: noWords,
  load: async () => (await import("./commands/serve.ts")).serveRecordings,
});

export const VIEW = command({
  brief: "Opens the page that shows runs in a browser",
  detail:
    "Serves until Ctrl-C, as `bir serve` does; where a service runs already, only opens its page. A run: the page at that run.",
  flags: {
    port,
    "no-open": toggle("Opens no browser: prints the link, which works once and for two minutes"),
    json,
  },
  words: optionalWord("RUN", "RUN: the beginning of a run's id, or `latest`; without it the list of runs", knownRuns),
  load: async () => (await import("./commands/view.ts")).view,
});

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error("write a number up to 65535; 0 is any that is free");
  return port;
}

function parseAddress(text: string): string {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text)) return text;
  throw new Error("write an address such as 192.168.1.20, or 0.0.0.0 for all of this machine");
}

/** As it stands in `Host`, on whatever port. */
function parseHostName(text: string): string {
  if (/^(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-f:.]+\])$/i.test(text)) return text;
  throw new Error("write a host's name alone, such as recordings.example.com, without a scheme or a port");
}
