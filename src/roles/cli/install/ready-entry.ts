import { EXIT } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import type { ConfigFormatId } from "../../../hosts/edit/config-text.ts";
import { applyEdits, formatOf } from "../../../hosts/edit/formats.ts";
import { nodeAt } from "../../../hosts/edit/text-place.ts";
import { isLeft, leftReason } from "../../../hosts/entry/left.ts";
import { readEntries } from "../../../hosts/entry/server-entry.ts";
import { wrapEntries } from "../../../hosts/entry/wrap-entry.ts";
import type { EntryShape, Host, ServerList } from "../../../hosts/host.ts";
import { COMMAND_AND_ARGS } from "../../../hosts/shapes.ts";
import { readProxyOptions, UsageError } from "../../proxy-options.ts";
import type { CliContext } from "../context.ts";
import { namedHosts } from "./host-choice.ts";
import { homeForEntries } from "./install.ts";
import { SOME_HOST } from "./other-file.ts";
import { packageNameIn } from "./package-name.ts";
import { placeOf } from "./place.ts";
import { shortPath } from "./short-path.ts";

/** An entry for a server that is recorded from the first day, in the form of a host. Reads and writes no file. */

export interface EntryOrder {
  name: string | undefined;
  host: string | undefined;
  url: string | undefined;
  /** The server's own command line. */
  words: readonly string[];
}

export interface ReadyEntry {
  host: string | null;
  format: ConfigFormatId;
  /** As it is to stand in a file that has nothing else. */
  text: string;
  /** The entry alone. */
  entry: unknown;
  /** Where it goes, for a person. */
  advice: string;
}

const COMMON: ServerList = {
  scope: "user",
  file: "",
  format: "json",
  path: ["mcpServers"],
  shape: COMMAND_AND_ARGS,
  directory: null,
};

export function readyEntry(context: CliContext, order: EntryOrder): ReadyEntry {
  const { serverName, command, remote } = checked(order);
  const host = order.host === undefined ? null : (namedHosts([order.host])[0] ?? null);
  const list = listFor(host, context);
  const plain = command === null ? remoteEntry(list.shape, remote.url.href, host) : stdioEntry(list.shape, command);
  const { names, nested } = list.shape;
  const whole = {
    ...(names === "keys" ? {} : { [names.nameKey]: serverName }),
    ...(nested === null ? plain : { [nested]: plain }),
  };
  const format = formatOf(list.format);
  const empty = format.parse("");
  const text =
    names === "keys"
      ? applyEdits("", format.insertMember(empty, list.path, serverName, whole))
      : applyEdits("", format.insertMember(empty, list.path.slice(0, -1), String(list.path.at(-1)), [whole]));
  const document = format.parse(text);
  const [entry] = readEntries(list, document);
  if (entry === undefined) throw new Error("the entry is not where it was put");
  const { executableWords } = context;
  const done = wrapEntries(document, [
    {
      entry,
      order: {
        executableWords,
        flags: (host ?? SOME_HOST).restartsServers ? [] : ["--restart"],
        birHome: homeForEntries(context),
        isNamed: true,
        passesVariables: host?.passesVariables ?? null,
        expansion: (host ?? SOME_HOST).expansion,
      },
    },
  ]);
  const [kept] = done.left;
  if (kept !== undefined && isLeft(kept.why)) {
    const hint = "Write it by hand: `bir proxy --help` shows how.";
    throw new Problem("not-wrapped", `no entry can be made of it: ${leftReason(kept.why.left)}`, hint);
  }
  const ready = done.document.text;
  return {
    host: host?.id ?? null,
    format: list.format,
    text: ready.endsWith("\n") ? ready : `${ready}\n`,
    entry: nodeAt(done.document.root, entry.path)?.value,
    advice: adviceFor(host, list, context),
  };
}

/** As `bir proxy` would read it. */
function checked({ name: given, url, words }: EntryOrder) {
  const name = given ?? packageNameIn(words) ?? undefined;
  const named = name === undefined ? [] : [`--server-name=${name}`];
  try {
    return readProxyOptions([
      ...named,
      ...(url === undefined ? [] : [`--url=${url}`]),
      ...(words.length > 0 ? ["--", ...words] : []),
    ]);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new Problem(
      "usage",
      cause.message.replace(/ See: bir proxy --help$/, ""),
      "See `bir wrap --help`.",
      EXIT.usage,
    );
  }
}

/** The list of the whole user, else any. */
function listFor(host: Host | null, context: CliContext): ServerList {
  const lists = host?.lists(placeOf(context)) ?? [];
  return lists.find(({ scope }) => scope === "user") ?? lists[0] ?? COMMON;
}

function stdioEntry(shape: EntryShape, command: readonly string[]): Record<string, unknown> {
  const [program, ...args] = command;
  const words =
    shape.command.kind === "argv"
      ? { [shape.command.key]: command }
      : { [shape.command.command]: program, [shape.command.args]: args };
  return { ...typed(shape, shape.type?.stdio), ...words };
}

function remoteEntry(shape: EntryShape, url: string, host: Host | null): Record<string, unknown> {
  const key = shape.remote?.urlKeys[0]?.key;
  if (shape.remote === null || key === undefined) {
    throw new Problem("no-remote", `${host?.name ?? "it"} takes no remote servers`, "Leave --host out.", EXIT.usage);
  }
  const type = Object.entries(shape.remote.types).find(([, transport]) => transport !== "sse")?.[0];
  return { ...typed(shape, type), [key]: url };
}

function typed(shape: EntryShape, word: string | undefined): Record<string, string> {
  return shape.type === null || word === undefined ? {} : { [shape.type.key]: word };
}

function adviceFor(host: Host | null, { file, path }: ServerList, context: CliContext): string {
  const key = path.join(".");
  if (host === null)
    return `Most applications keep such entries under ${JSON.stringify(key)}; --host gives the form of one that does not.`;
  return `For ${host.name}: under ${JSON.stringify(key)} in ${shortPath(file, context)}. ${host.reload}`;
}
