import { command, manyWords, noWords, option, type Proposal, repeatedOption, toggle } from "./args.ts";

/** The commands that put the recorder into hosts' settings and take it out again, for the list of commands. */

const json = toggle("Prints JSON, for programs");
const host = repeatedOption(
  "HOST",
  "Only this application, such as claude-code or codex; several times for more",
  hosts,
);
const server = repeatedOption("NAME", "Only this server; several times for more");
const dryRun = toggle("Only shows what would be changed, without values");

export const INSTALL = command({
  brief: "Has the MCP servers of your applications recorded",
  detail: [
    "Puts this recorder before the MCP servers that Claude Code, Codex, Cursor and others have in their settings, for this directory",
    "and for the whole user, and hooks into the settings of Claude Code. Changes nothing else in a file; `bir uninstall` gives every",
    "file back byte for byte. Servers that an application has for the whole user are recorded in this directory and below.",
  ].join("\n"),
  flags: {
    host,
    server,
    config: option("PATH", "Only this file, in place of those where applications keep their settings", String),
    user: toggle("Records everywhere, not only in this directory; hooks go into the user's settings"),
    "mcp-json": toggle("Changes a shared .mcp.json where it is, in place of copies that only you have"),
    "no-hooks": toggle("Puts no hooks into settings"),
    "no-correlation": toggle("Never puts ids into calls, whatever BIR_CORRELATION_DECISION says"),
    "dry-run": dryRun,
    json,
  },
  words: noWords,
  load: async () => (await import("./commands/install.ts")).runInstall,
});

export const UNINSTALL = command({
  brief: "Gives every file back as it was before `bir install`",
  detail:
    "Without --all only what concerns this directory and the whole user. What you have changed in an entry since is kept.",
  flags: {
    all: toggle("Everything, of every directory"),
    host,
    server,
    config: option("PATH", "Only this file", String),
    "dry-run": dryRun,
    json,
  },
  words: noWords,
  load: async () => (await import("./commands/uninstall.ts")).runUninstall,
});

export const WRAP = command({
  brief: "Prints a configuration entry that is recorded, ready to be pasted",
  detail: "For applications that `bir install` does not know, and for servers that are not configured yet.",
  usage: ["[--server-name NAME] [--host HOST] -- COMMAND [ARGS…]", "[--server-name NAME] [--host HOST] --url URL"],
  flags: {
    "server-name": option("NAME", "The server's name; else that of the package, program or host", String),
    host: option("HOST", "In this application's form; else in the one most of them have", String, hosts),
    url: option("URL", "A remote server, in place of a command", String),
    json,
  },
  words: manyWords("COMMAND", "The server's own command, behind --", 0),
  load: async () => (await import("./commands/wrap.ts")).runWrap,
});

async function hosts(): Promise<Proposal[]> {
  return await (await import("./install/host-choice.ts")).hostProposals();
}
