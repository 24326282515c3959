import { EXIT } from "../../core/exit-codes.ts";
import { LOGIN, LOGOUT, WHOAMI } from "./account-commands.ts";
import { type CommandGroup, command, noWords, oneWord, type Proposal, repeatedOption, toggle } from "./args.ts";
import { SHELLS, type Shell } from "./completion-scripts.ts";
import { INSTALL, UNINSTALL, WRAP } from "./install-commands.ts";
import { RUN_COMMANDS } from "./run-commands.ts";
import { SELF_COMMANDS } from "./self-commands.ts";
import { SERVE, VIEW } from "./service-commands.ts";
import { closest } from "./text/closest.ts";

/** Every command for people, in the order `bir --help` lists them. What a command does is loaded when it runs. */

const json = toggle("Prints JSON, for programs");

/** In the list only: what it takes, and its help, are its role's own (proxy-usage.ts). */
const proxy = command({
  brief: "Records the calls to an MCP server: put it before the server's command",
  flags: {},
  words: noWords,
  load: async () => async () => EXIT.ok,
});

/** In the list only, as `proxy` is. */
const hooks = command({
  brief: "Receives the hooks of Claude Code; `bir hooks print-settings` prints them",
  usage: ["[serve | print-settings]"],
  flags: {},
  words: noWords,
  load: async () => async () => EXIT.ok,
});

const status = command({
  brief: "Shows where recordings are, what is recorded now, and what was lost",
  flags: { json },
  words: noWords,
  load: async () => (await import("./commands/status.ts")).status,
});

const doctor = command({
  brief: "Checks that recording works, and says what to do where it does not",
  detail:
    "Starts the servers that `bir install` has wrapped, to see that they answer; calls none of their tools. Exits with 1 when something " +
    "is broken; warnings alone leave it at 0.",
  flags: { config: repeatedOption("PATH", "Looks at this MCP configuration file too"), json },
  words: noWords,
  load: async () => (await import("./commands/doctor.ts")).doctor,
});

const here = toggle("Only in this directory and below");

const on = command({
  brief: "Turns recording on again",
  flags: { here, json },
  words: noWords,
  load: async () => (await import("./commands/on.ts")).turnOn,
});

const off = command({
  brief: "Turns recording off: proxies then become the real server",
  flags: { here, json },
  words: noWords,
  load: async () => (await import("./commands/off.ts")).turnOff,
});

const up = command({
  brief: "Starts the control server, and lets it be started again after `bir down`",
  detail: "With --json also the token with which a program can tell the server of its own calls: keep it to yourself.",
  flags: { json },
  words: noWords,
  load: async () => (await import("./commands/up.ts")).up,
});

const down = command({
  brief: "Stops the control server, which stays down until `bir up`",
  detail: "Proxies then record by themselves; what hooks tell is kept for the next server. Recording stays on.",
  flags: { json },
  words: noWords,
  load: async () => (await import("./commands/down.ts")).down,
});

const completions = command({
  brief: "Prints a completion script for a shell",
  flags: {},
  words: oneWord("SHELL", SHELLS.join(", "), parseShell, shellProposals),
  load: async () => (await import("./commands/completions.ts")).completions,
});

async function shellProposals(): Promise<Proposal[]> {
  return SHELLS.map((word) => ({ word, brief: `The script for ${word}` }));
}

function parseShell(text: string): Shell {
  const shell = SHELLS.find((known) => known === text.toLowerCase());
  if (shell !== undefined) return shell;
  const near = closest(text, SHELLS);
  throw new Error(near === null ? `write one of ${SHELLS.join(", ")}` : `did you mean ${near}?`);
}

export const COMMANDS: CommandGroup = {
  kind: "group",
  brief: "The flight recorder for AI agents: records every tool call an agent makes",
  detail: [
    "The flight recorder for AI agents: records every tool call an agent makes.",
    "",
    "  bir install     has the MCP servers of your applications recorded",
    "  bir view        opens a page with what was called and what came back, also while it happens",
    "  bir run show    the same in the terminal: the latest run",
    "  bir uninstall   gives every file back as it was",
    "",
    "Environment: BIR_HOME is where recordings live, BIR_OFF=1 records nothing. `bir version` prints the version.",
  ].join("\n"),
  commands: {
    install: INSTALL,
    uninstall: UNINSTALL,
    wrap: WRAP,
    proxy,
    hooks,
    run: RUN_COMMANDS,
    view: VIEW,
    serve: SERVE,
    status,
    doctor,
    on,
    off,
    up,
    down,
    login: LOGIN,
    logout: LOGOUT,
    whoami: WHOAMI,
    self: SELF_COMMANDS,
    completions,
  },
};
