import { stringifyExact } from "../../core/exact-json.ts";
import type { NoteEntry, Step } from "../../core/run.ts";
import { isSlow } from "./story/slow-calls.ts";

/**
 * The filter inside a run: free words, and `tool:` `server:` `agent:` `is:`, over what is known of its parts in brief. Pure.
 * Same key twice: either; different keys and words: all. What cannot
 * be understood is told, and left out; what only looks like a key is looked for as a word.
 */

export interface RunFilter {
  words: readonly string[];
  tools: readonly string[];
  servers: readonly string[];
  agents: readonly string[];
  states: readonly FilterState[];
  /** What was left out, and why. */
  issues: readonly FilterIssue[];
}

export interface FilterIssue {
  /** As it was written. */
  term: string;
  message: string;
}

export type FilterState = "error" | "denied" | "cancelled" | "lost" | "running" | "slow" | "truncated" | "note";

const STATES: readonly FilterState[] = ["error", "denied", "cancelled", "lost", "running", "slow", "truncated", "note"];

/** Each key of the language, what it asks for, and an example of it. */
export const FILTER_KEYS = [
  { detail: "calls of a tool", example: "tool:search_code" },
  { detail: "calls of a server", example: "server:github" },
  { detail: "what an agent did, by its id; main: the main agent", example: "agent:main" },
  { detail: `one of ${STATES.join(", ")}`, example: "is:error" },
] as const;

export function parseRunFilter(text: string): RunFilter {
  const filter = { words: [], tools: [], servers: [], agents: [], states: [], issues: [] } as {
    -readonly [Key in keyof RunFilter]: RunFilter[Key][number][];
  };
  for (const [term, key = "", quotedValue, value = "", quoted, word = ""] of text.matchAll(
    /(tool|server|agent|is|status|host|after|before):(?:"([^"]*)"?|(\S*))|"([^"]*)"?|(\S+)/gi,
  )) {
    const name = key.toLowerCase();
    const wanted = (quotedValue ?? value).toLowerCase();
    const list = { tool: filter.tools, server: filter.servers, agent: filter.agents }[name];
    const state = STATES.find((each) => each === wanted);
    if (key === "") filter.words.push((quoted ?? word).toLowerCase());
    else if (wanted === "") continue;
    else if (list !== undefined) list.push(wanted);
    else if (name !== "is") filter.issues.push({ term, message: `${name}: is a key of the list of runs` });
    else if (state !== undefined) filter.states.push(state);
    else filter.issues.push({ term, message: `is: takes one of ${STATES.join(", ")}` });
  }
  filter.words = filter.words.filter((each) => each !== "");
  return filter;
}

export function isEmptyFilter({ words, tools, servers, agents, states }: RunFilter): boolean {
  return words.length + tools.length + servers.length + agents.length + states.length === 0;
}

/** What somebody may have meant as a key, where nothing was found: `foo:` of `foo:bar`; null where there is no such word. */
export function unknownKey({ words }: RunFilter): string | null {
  for (const word of words) {
    const key = /^([a-z]+:)(?!\/|$)/.exec(word)?.[1];
    if (key !== undefined) return key;
  }
  return null;
}

/** The filter's text with one more term, or without it where it is there already. */
export function toggledTerm(text: string, term: string): string {
  const terms = termsOf(text);
  const others = terms.filter((each) => each.toLowerCase() !== term.toLowerCase());
  return (others.length < terms.length ? others : [...terms, term]).join(" ");
}

/** True for a text that holds all of these terms. */
export function hasTerms(text: string, terms: readonly string[]): boolean {
  const known = termsOf(text).map((each) => each.toLowerCase());
  return terms.every((term) => known.includes(term.toLowerCase()));
}

/**
 * The filter's text with the calls of one tool, or without them where it asks for them already; a server goes with the last of
 * its tools. `others`: the terms of the tools that may be asked for beside it.
 */
export function toggledTool(text: string, own: ToolTerms, others: readonly ToolTerms[]): string {
  const { server, tool } = own;
  const wanted = server === null ? [tool] : [server, tool];
  if (!hasTerms(text, wanted)) {
    return wanted.filter((term) => !hasTerms(text, [term])).reduce(toggledTerm, text);
  }
  const beside = others.filter((other) => other.tool !== tool || other.server !== server);
  const isUsed = beside.filter((other) =>
    hasTerms(text, other.server === null ? [other.tool] : [other.server, other.tool]),
  );
  const gone = wanted.filter((term) => !isUsed.some((other) => other.server === term || other.tool === term));
  return gone.reduce(toggledTerm, text);
}

/** As `termOf` makes them; `server` is null for a tool of the host's own. */
export interface ToolTerms {
  server: string | null;
  tool: string;
}

function termsOf(text: string): string[] {
  return [...text.matchAll(/(?:[a-z]+:)?"[^"]*"?|\S+/gi)].map(([each]) => each);
}

/** A term for a key and any value. */
export function termOf(key: string, value: string): string {
  return /[\s"]/.test(value) ? `${key}:"${value.replaceAll('"', "")}"` : `${key}:${value}`;
}

/** Remembers what of each call is looked through, so that typing costs no more than the looking. */
export class FilterText {
  readonly #ofSteps = new Map<string, { step: Step; text: string }>();

  matchesStep(step: Step, filter: RunFilter, slowMs: number): boolean {
    const { tools, servers, agents, states, words } = filter;
    if (tools.length > 0 && !isNamed(tools, step.tool, step.qualifiedName)) return false;
    if (servers.length > 0 && !isNamed(servers, step.server ?? "")) return false;
    if (agents.length > 0 && !isNamed(agents, step.agentId ?? "main")) return false;
    if (states.length > 0 && !states.some((state) => isIn(state, step, slowMs))) return false;
    if (words.length === 0) return true;
    const text = this.#text(step);
    return words.every((word) => text.includes(word));
  }

  #text(step: Step): string {
    const known = this.#ofSteps.get(step.id);
    // A call is told anew each time the run is; what it says changes only with these.
    if (known !== undefined && known.step.result === step.result && known.step.args === step.args) {
      if (known.step.error === step.error && known.step.tool === step.tool) return known.text;
    }
    const { server, tool, qualifiedName, args, result, error, context, agentId } = step;
    const payloads = [args, result].map((payload) => (payload === null ? "" : textOf(payload)));
    const text = [server, tool, qualifiedName, ...payloads, error, context, agentId].join("\n").toLowerCase();
    this.#ofSteps.set(step.id, { step, text });
    return text;
  }
}

export function matchesNote(note: NoteEntry, filter: RunFilter): boolean {
  const { tools, servers, agents, states, words } = filter;
  if (tools.length + servers.length > 0) return false;
  if (states.length > 0 && !states.includes("note")) return false;
  if (agents.length > 0 && !isNamed(agents, note.agentId ?? "main")) return false;
  return matchesText(`${note.kind}\n${note.text}`, words);
}

/** Only words can be found in a prompt or an answer. */
export function matchesProse(text: string, filter: RunFilter): boolean {
  const { tools, servers, agents, states, words } = filter;
  return tools.length + servers.length + agents.length + states.length === 0 && matchesText(text, words);
}

function matchesText(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function isNamed(wanted: readonly string[], ...names: readonly string[]): boolean {
  return names.some((name) => wanted.includes(name.toLowerCase()));
}

function isIn(state: FilterState, step: Step, slowMs: number): boolean {
  if (state === "slow") return isSlow(step, slowMs);
  if (state === "truncated") return step.truncated;
  return state === step.status;
}

function textOf(payload: unknown): string {
  if (typeof payload === "string") return payload;
  // In brief: the beginning of its JSON text is all there is to look through.
  const { brief, head } = payload as { brief?: unknown; head?: unknown };
  return brief === true && typeof head === "string" ? head : stringifyExact(payload);
}
