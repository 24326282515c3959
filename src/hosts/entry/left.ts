/**
 * Why a server's entry is left as it is. The code is stable; the sentence is for people and never holds a value of the
 * entry. Pure.
 */

const REASONS = {
  "not-an-object": "it is not an object",
  "no-name": "it has no name",
  "repeated-name": "its name stands there twice",
  "repeated-key": "a key stands in it twice",
  "reserved-name": "the host keeps this name for itself",
  "no-command": "it has neither a command nor a URL",
  "command-and-url": "it has both a command and a URL",
  "unknown-type": "its type is none that can be recorded",
  "command-form": "its command is not written as the host expects it",
  "command-line":
    "its command is a whole command line: put the program under the command's key and the rest under its arguments",
  "env-form": "its variables are not an object",
  "url-form": "its URL is not an http or https URL",
  "url-credentials": "its URL holds a user name or password: move them to a header",
  "url-fragment": 'its URL holds a "#"',
  "url-secret": "its URL may hold a secret, which other users of this machine could see in the list of processes",
  "headers-form": "its headers are not an object of strings",
  "headers-kept-by-host": "the host fills in its headers, and does not do so in variables",
  "cannot-move": "it uses a way to connect that only the host has",
  "signs-in": "the host signs in to it itself",
  "may-sign-in": "it has no credential in its headers, so the host may sign in to it itself",
  "variables-form": "its list of variables to pass on is not a list",
  "comment-in-the-way": "a comment or a form stands in it that could not be given back exactly",
  "hooks-form": "its hooks are not written as the host expects them",
  "round-trip": "it could not be given back exactly as it is",
  managed: "an administrator says which servers are used on this machine",
  forbidden: "rules in the host's settings keep it from running",
  "forbidden-wrapped": "rules in the host's settings would keep it from running once it is wrapped",
  unused: "the host does not use it as it is written",
  twin: "a plugin has the same server, which would be started too",
  hidden: "another server of its name is used instead",
  rejected: "it was rejected for this project",
  "not-approved": "it is not approved yet: start the host in this project and say yes to it, then install again",
  merged: "another file of the host has one of its name, and the host makes one of both",
  "shared-file": "its file is shared with others: use --mcp-json to change it there",
  "part-of-project": "it is only for a part of the project, and a copy would be used in all of it: use --mcp-json",
  "other-worktree": "a copy would be used in every worktree, where it is not or otherwise: use --mcp-json",
  "not-ours": "it does not run bir",
  "command-changed": "its command line is none that bir has written",
} as const satisfies Record<string, string>;

export type LeftCode = keyof typeof REASONS;

export interface Left {
  left: LeftCode;
}

export function left(code: LeftCode): Left {
  return { left: code };
}

export function isLeft(value: object): value is Left {
  return "left" in value;
}

/** The reason as the end of a sentence such as "files is left: …". */
export function leftReason(code: LeftCode): string {
  return REASONS[code];
}

/** Reasons that `--server NAME` overrules: the person knows what they ask for. */
export function yieldsToName(code: LeftCode): boolean {
  return code === "url-secret" || code === "signs-in" || code === "may-sign-in";
}
