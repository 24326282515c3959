import {
  AliasNotFoundError,
  type Application,
  ArgumentParseError,
  ArgumentScannerError,
  buildApplication,
  buildCommand,
  buildRouteMap,
  EnumValidationError,
  FlagNotFoundError,
  help,
  InvalidNegatedFlagSyntaxError,
  type Command as LibraryCommand,
  type CommandContext as LibraryContext,
  type RouteMap as LibraryRouteMap,
  proposeCompletions,
  run,
  text_en,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from "@stricli/core";
import { EXIT, type ExitCode } from "../../core/exit-codes.ts";
import { Problem } from "../../core/problem.ts";
import type { CliContext } from "./context.ts";
import { closest } from "./text/closest.ts";

/**
 * The command line: how a command says what it takes, and how words become a call of it. The only module that knows the
 * library behind it (@stricli/core). Nothing here prints; what the library says is given back or thrown as a Problem.
 */

declare const typeOfValue: unique symbol;

/** An option that gives an action a value of type `T`. */
export interface Flag<T> {
  readonly definition: object;
  readonly [typeOfValue]?: T;
}

/** The words after the options. */
export interface Words<A extends readonly unknown[]> {
  readonly definition: object;
  readonly [typeOfValue]?: A;
}

export type Action<F, A extends readonly unknown[]> = (context: CliContext, flags: F, ...words: A) => Promise<ExitCode>;

export interface CommandSpec<F, A extends readonly unknown[]> {
  /** One line, for the list of commands. */
  brief: string;
  /** More, for the command's own `--help`. */
  detail?: string;
  /** What may stand behind the command, in place of the lines that are made from its options and words. */
  usage?: readonly string[];
  flags: { [K in keyof F]-?: Flag<F[K]> };
  words: Words<A>;
  /** Loaded only when the command is the one that runs. */
  load: () => Promise<Action<F, A>>;
}

export interface Command {
  readonly kind: "command";
  readonly spec: CommandSpec<never, never>;
}

export interface CommandGroup {
  readonly kind: "group";
  readonly brief: string;
  readonly detail?: string;
  readonly commands: Readonly<Record<string, Command | CommandGroup>>;
}

export interface Proposal {
  word: string;
  brief: string;
}

/** Words to propose while a command line is typed. */
export type Complete = (context: CliContext) => Promise<readonly Proposal[]>;

interface InternalContext extends LibraryContext {
  readonly cli: CliContext;
  /** What each proposed word says of itself. */
  readonly briefs: Map<string, string>;
  readonly outcome: { exitCode: ExitCode; thrown?: { cause: unknown } };
}

/** A command of the tree. */
export function command<F, A extends readonly unknown[]>(spec: CommandSpec<F, A>): Command {
  return { kind: "command", spec: spec as unknown as CommandSpec<never, never> };
}

/** `--name`: there or not. */
export function toggle(brief: string): Flag<boolean> {
  return { definition: { kind: "boolean", brief, optional: true, withNegated: false } };
}

/** `--name VALUE`; `parse` throws an Error whose message says what is wrong with the value. */
export function option<T>(
  placeholder: string,
  brief: string,
  parse: (text: string) => T,
  complete?: Complete,
): Flag<T | undefined> {
  return { definition: { kind: "parsed", ...word(placeholder, brief, complete), parse, optional: true } };
}

/** `--name VALUE`, any number of times. */
export function repeatedOption(
  placeholder: string,
  brief: string,
  complete?: Complete,
): Flag<readonly string[] | undefined> {
  return { definition: { kind: "parsed", ...word(placeholder, brief, complete), optional: true, variadic: true } };
}

/** `--name ONE-OF-THESE`. */
export function choice<V extends string>(values: readonly V[], brief: string): Flag<V | undefined> {
  return { definition: { kind: "enum", brief, values, optional: true } };
}

export const noWords: Words<[]> = { definition: { kind: "tuple", parameters: [] } };

/** At most one word. */
export function optionalWord(placeholder: string, brief: string, complete?: Complete): Words<[string | undefined]> {
  return { definition: { kind: "tuple", parameters: [{ ...word(placeholder, brief, complete), optional: true }] } };
}

/** Exactly one word; `parse` throws an Error whose message says what is wrong with it. */
export function oneWord<T>(
  placeholder: string,
  brief: string,
  parse: (text: string) => T,
  complete: Complete,
): Words<[T]> {
  return { definition: { kind: "tuple", parameters: [{ ...word(placeholder, brief, complete), parse }] } };
}

/** Exactly two words. */
export function twoWords(
  placeholders: readonly [string, string],
  brief: string,
  complete?: Complete,
): Words<[string, string]> {
  return { definition: { kind: "tuple", parameters: placeholders.map((name) => word(name, brief, complete)) } };
}

/** Any number of words, but at least `minimum`. */
export function manyWords(placeholder: string, brief: string, minimum: number, complete?: Complete): Words<string[]> {
  return { definition: { kind: "array", minimum, parameter: word(placeholder, brief, complete) } };
}

/** Runs the command that `argv` names. Throws what it threw, and a Problem for words that name none or do not fit. */
export async function runArgv(root: CommandGroup, argv: readonly string[], cli: CliContext): Promise<ExitCode> {
  const said = { stdout: "", stderr: "" };
  const context = internalContext(cli, said);
  await run(application(root), argv, context);
  const { thrown, exitCode } = context.outcome;
  if (thrown !== undefined) throw thrown.cause;
  if (said.stderr !== "") throw usageProblem(root, argv, said.stderr);
  if (said.stdout !== "") await cli.print(said.stdout);
  return exitCode;
}

/** What may stand in place of the last word of `argv`. */
export async function proposals(root: CommandGroup, argv: readonly string[], cli: CliContext): Promise<Proposal[]> {
  const context = internalContext(cli, { stdout: "", stderr: "" });
  const found = await proposeCompletions(application(root), argv, context);
  const all = found.map(({ completion, brief }) => ({
    word: completion,
    brief: context.briefs.get(completion) ?? brief,
  }));
  // Options only once a dash is typed: where a file name may stand, a shell proposes files when it gets nothing.
  const isOption = (argv.at(-1) ?? "").startsWith("-");
  return all.filter(({ word }) => word !== "--" && word.startsWith("-") === isOption);
}

function word(placeholder: string, brief: string, complete?: Complete): object {
  async function proposeCompletions(this: InternalContext, partial: string): Promise<readonly string[]> {
    const known = complete === undefined ? [] : await complete(this.cli);
    const fitting = known.filter((candidate) => candidate.word.startsWith(partial));
    for (const candidate of fitting) this.briefs.set(candidate.word, candidate.brief);
    return fitting.map((candidate) => candidate.word);
  }
  return { brief, placeholder, parse: String, proposeCompletions };
}

function internalContext(cli: CliContext, said: { stdout: string; stderr: string }) {
  const sink = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const outcome: InternalContext["outcome"] = { exitCode: EXIT.ok };
  return {
    cli,
    outcome,
    briefs: new Map<string, string>(),
    process: { stdout: sink("stdout"), stderr: sink("stderr"), env: {} },
  };
}

function application(root: CommandGroup): Application<InternalContext> {
  const caseStyle = "original";
  const scanner = { caseStyle, allowArgumentEscapeSequence: true } as const;
  const formatting = { caseStyle, useAliasInUsageLine: false, onlyRequiredInUsageLine: false } as const;
  return buildApplication(
    routes(root),
    {
      name: "bir",
      scanner,
      documentation: { disableAnsiColor: true },
      localization: { text: { ...text_en, ...TEXT, briefs: { ...text_en.briefs, ...BRIEFS } } },
    },
    { help: help({ brief: BRIEFS.help, defaultForRouteMap: true, complete: true, formatting }) },
  );
}

function routes(group: CommandGroup): LibraryRouteMap<InternalContext> {
  const entries = Object.entries(group.commands).map(
    ([name, entry]) => [name, entry.kind === "group" ? routes(entry) : libraryCommand(entry)] as const,
  );
  return buildRouteMap({ routes: Object.fromEntries(entries), docs: docs(group) });
}

function libraryCommand({ spec }: Command): LibraryCommand<InternalContext> {
  const flags = Object.fromEntries(
    Object.entries<Flag<unknown>>(spec.flags).map(([name, flag]) => [name, flag.definition]),
  );
  const switchNames = Object.entries(flags).flatMap(([name, flag]) =>
    "kind" in flag && flag.kind === "boolean" ? [name] : [],
  );
  async function call(this: InternalContext, given: Record<string, unknown>, ...words: unknown[]): Promise<void> {
    try {
      const action = (await spec.load()) as unknown as Action<object, unknown[]>;
      // The library leaves those out that are not given, or gives them as undefined.
      const switches = Object.fromEntries(switchNames.map((name) => [name, given[name] === true]));
      this.outcome.exitCode = await action(this.cli, { ...given, ...switches }, ...words);
    } catch (cause) {
      this.outcome.thrown = { cause };
    }
  }
  // Definitions are made by the functions above; the library's types cannot follow them through `Flag` and `Words`.
  const parameters = { flags, positional: spec.words.definition } as never;
  return buildCommand<Record<string, unknown>, unknown[], InternalContext>({
    loader: () => Promise.resolve(call),
    parameters,
    docs: docs(spec),
  });
}

function docs({ brief, detail, usage }: { brief: string; detail?: string; usage?: readonly string[] }) {
  return {
    brief,
    ...(detail === undefined ? {} : { fullDescription: detail }),
    ...(usage === undefined ? {} : { customUsage: usage }),
  };
}

const BRIEFS = {
  help: "Prints this help",
  argumentEscapeSequence: "What follows are words, not options",
};

const TEXT = {
  noCommandRegisteredForInput: ({ input, corrections }: { input: string; corrections: readonly string[] }) =>
    `there is no ${input.startsWith("-") ? "option" : "command"} \`${input}\`${didYouMean(input, corrections)}`,
  exceptionWhileParsingArguments: (cause: unknown) => {
    if (cause instanceof FlagNotFoundError) {
      const known = cause.corrections.map(dashed);
      return `there is no option \`${dashed(cause.input)}\`${didYouMean(dashed(cause.input), known)}`;
    }
    if (cause instanceof AliasNotFoundError) return `there is no option \`-${cause.input}\``;
    if (cause instanceof UnexpectedFlagError) return `\`${dashed(cause.externalFlagName)}\` is given more than once`;
    if (cause instanceof InvalidNegatedFlagSyntaxError) return takesNoValue(cause.externalFlagName);
    if (cause instanceof ArgumentParseError) {
      const { externalFlagNameOrPlaceholder: name, input, exception } = cause;
      // The library's own parsers throw this, ours do not; of its own, only the one for what is there or not is used.
      if (exception instanceof SyntaxError) return takesNoValue(name);
      const why = exception instanceof Error ? exception.message : String(exception);
      return `\`${input}\` does not fit ${/^[a-z]/.test(name) ? `\`--${name}\`` : name}: ${why}`;
    }
    if (cause instanceof EnumValidationError) {
      const near = closest(cause.input, cause.values);
      const why = near === null ? `write one of ${cause.values.join(", ")}` : `did you mean ${near}?`;
      return `\`${cause.input}\` does not fit \`${dashed(cause.externalFlagName)}\`: ${why}`;
    }
    if (cause instanceof UnsatisfiedFlagError) return `\`${dashed(cause.externalFlagName)}\` needs a value`;
    if (cause instanceof UnsatisfiedPositionalError) return `${cause.placeholder} is missing`;
    if (cause instanceof UnexpectedPositionalError) return `\`${cause.input}\` is one word too many`;
    if (cause instanceof ArgumentScannerError) return lowerFirst(cause.message);
    throw cause;
  },
};

/** The first line of what the library said, as a Problem that names the help to read. */
function usageProblem(root: CommandGroup, argv: readonly string[], said: string): Problem {
  const path: string[] = [];
  let at: Command | CommandGroup | undefined = root;
  for (const name of argv) {
    at = at?.kind === "group" && Object.hasOwn(at.commands, name) ? at.commands[name] : undefined;
    if (at === undefined) break;
    path.push(`${name} `);
  }
  const [message = said] = said.split("\n");
  const group = path.length === 0 ? groupWith(root, argv[0] ?? "") : undefined;
  const hint = group === undefined ? `See \`bir ${path.join("")}--help\`.` : `Write \`bir ${group} ${argv[0]}\`.`;
  return new Problem("usage", message, hint, EXIT.usage);
}

/** The group that has a command which was asked for without it. */
function groupWith(root: CommandGroup, name: string): string | undefined {
  const groups = Object.entries(root.commands);
  return groups.find(([, entry]) => entry.kind === "group" && Object.hasOwn(entry.commands, name))?.[0];
}

/** The library's own idea of what is near is wide: of its corrections only one that is nearer is passed on. */
function didYouMean(typed: string, corrections: readonly string[]): string {
  const near = closest(
    typed,
    corrections.map((correction) => correction.replaceAll("`", "")),
  );
  return near === null ? "" : `; did you mean \`${near}\`?`;
}

function takesNoValue(name: string): string {
  return `\`${dashed(name)}\` takes no value`;
}

function dashed(name: string): string {
  return name.startsWith("-") ? name : `--${name}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
