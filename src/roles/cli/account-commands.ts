import { command, noWords, option, toggle } from "./args.ts";

/** `bir login`, `bir logout` and `bir whoami`, for the list of commands. */

const json = toggle("Prints JSON, for programs");

export const LOGIN = command({
  brief: "Sends what is recorded to a recordings service from now on",
  detail: [
    "Runs that begin from now on are sent as they grow; the control server does it in the background, and no session waits for it. What",
    "cannot be sent just now is sent later: `bir status` shows what waits. Another bir (`bir serve`) can be the service.",
    "",
    "  bir login --url https://recordings.example.com --token-stdin < token.txt",
  ].join("\n"),
  usage: ["--url URL --token-stdin [--from-start] [--allow-http] [--json]"],
  flags: {
    url: option("URL", "The service's address", String),
    "token-stdin": toggle(
      "Reads the token from stdin, one line; a token is never an argument, where others could see it",
    ),
    "from-start": toggle("Sends everything that was recorded before, too"),
    "allow-http": toggle("Lets the token and the recordings go over plain http to another machine"),
    json,
  },
  words: noWords,
  load: async () => (await import("./commands/login.ts")).login,
});

export const LOGOUT = command({
  brief: "Sends nothing to the recordings service any more, and forgets its token",
  detail: "What was sent stays there; what was recorded stays here.",
  flags: { json },
  words: noWords,
  load: async () => (await import("./commands/logout.ts")).logout,
});

export const WHOAMI = command({
  brief: "Says which recordings service is sent to, and whether it lets us in",
  flags: { json },
  words: noWords,
  load: async () => (await import("./commands/whoami.ts")).whoami,
});
