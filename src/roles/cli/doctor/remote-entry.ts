import { Problem } from "../../../core/problem.ts";
import { NO_BEARER_TOKEN, readConfiguredHeaders } from "../../../upstream/remote/configured-headers.ts";
import type { RemoteCommandLine } from "../../proxy-options.ts";
import type { CliContext } from "../context.ts";
import type { Finding } from "./check.ts";
import type { McpEntry } from "./mcp-config.ts";
import { secretArguments } from "./secret-arguments.ts";

/**
 * Entries that put bir before a remote server: what their headers would come to, and what of them shows in the arguments. Connects to
 * nothing, says no value. What a host fills in (`${NAME}`) is not known here, so something stands for it.
 */

const PLACE = /\$\{[^}]*\}/g;
/** Looks like a secret wherever one is expected. */
const LIKE_A_SECRET = "q8Zk3vT9xLm2Rw7Yp4Hc";

/** True where the words that bir gets name a remote server. */
export function isRemote(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === "--url" || word.startsWith("--url="));
}

/** The words behind `bir proxy` as the host might hand them over. */
export function withPlacesFilled(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const [option, value] = word.startsWith("--") ? splitAtEquals(word) : [words[index - 1], word];
    const start = word.slice(0, word.length - (value?.length ?? 0));
    if (value?.match(PLACE) && option === "--url") return `${start}https://filled-in.invalid`;
    if (value?.match(PLACE) && option === "--header") return start + value.replace(PLACE, LIKE_A_SECRET);
    return word;
  });
}

/** What is wrong with the headers that an entry configures. `sharesEnvironment`: it is started where this shell's variables hold. */
export function headerFindings(
  remote: RemoteCommandLine,
  entry: McpEntry,
  where: string,
  { env }: CliContext,
  sharesEnvironment: boolean,
): Finding[] {
  const { BIR_UPSTREAM_HEADERS: ownHeaders = "" } = entry.env;
  if (typeof ownHeaders !== "string") {
    const message = `${where} sets BIR_UPSTREAM_HEADERS to something that is no string`;
    const hint = String.raw`Write the object as one string: "{\"Authorization\": \"…\"}"`;
    return [{ severity: "error", message, hint }];
  }
  const given: Record<string, string | undefined> = { ...env };
  for (const [name, value] of Object.entries(entry.env)) {
    if (typeof value === "string") given[name] = value.replace(PLACE, LIKE_A_SECRET);
  }
  if (/^\s*\$\{/.test(ownHeaders)) given.BIR_UPSTREAM_HEADERS = "";
  try {
    readConfiguredHeaders(remote, given);
    return [];
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    const isUnset = cause.code === NO_BEARER_TOKEN;
    if (isUnset && !sharesEnvironment) return [];
    return [{ severity: isUnset ? "warning" : "error", message: `${where}: ${cause.message}`, hint: cause.hint }];
  }
}

/** Secrets that an entry, whatever it starts, puts where every user of the machine can see them. */
export function secretFindings(entry: McpEntry, where: string): Finding[] {
  const remote = isRemote(entry.args);
  const secrets = secretArguments(remote ? entry.args.map((word) => word.replace(PLACE, LIKE_A_SECRET)) : entry.args);
  if (secrets.length === 0) return [];
  return [
    {
      severity: "warning",
      message: `${where} seems to have a secret in its arguments (${secrets.join(", ")}): every user of this machine can see those`,
      hint: remote
        ? "Pass it in the entry's env instead: in BIR_UPSTREAM_HEADERS, or in a variable that --bearer-env names."
        : "Pass it in the entry's env instead, if the server can read it there.",
    },
  ];
}

function splitAtEquals(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
