import { type CommandGroup, command, noWords, option, toggle } from "./args.ts";

/** The group `bir self`: what the executable does with itself. */

const json = toggle("Prints JSON, for programs");

const update = command({
  brief: "Puts the newest executable in the place of this one",
  detail:
    "From where this one came, or from BIR_BASE_URL. Its checksum is checked and it has to run before this one is replaced.",
  flags: {
    version: option("VERSION", "This version, an older one too", parseVersion),
    check: toggle("Only tells whether there is another one"),
    json,
  },
  words: noWords,
  load: async () => (await import("./commands/self-update.ts")).selfUpdate,
});

const uninstall = command({
  brief: "Takes bir off this machine: out of hosts, off PATH, the executable",
  detail: "What was recorded stays, unless --delete-recordings is given.",
  flags: {
    yes: toggle("Does not ask"),
    "keep-recordings": toggle("Keeps what was recorded, as it does without this"),
    "delete-recordings": toggle("Deletes what was recorded"),
    json,
  },
  words: noWords,
  load: async () => {
    const { selfUninstall } = await import("./commands/self-uninstall.ts");
    return (context, flags) => selfUninstall(context, flags);
  },
});

function parseVersion(text: string): string {
  if (/^v?[0-9][0-9A-Za-z.+-]*$/.test(text)) return text;
  throw new Error("write one such as 0.1.0");
}

export const SELF_COMMANDS: CommandGroup = {
  kind: "group",
  brief: "Renews or removes this executable",
  commands: { update, uninstall },
};
