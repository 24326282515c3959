import { stringifyExact } from "../../core/exact-json.ts";
import type { NoteEntry, Step } from "../../core/run.ts";
import { isSlow } from "./slow-calls.ts";

/**
 * The filter inside a run: free words, and `tool:` `server:` `agent:` `is:`, over what is known of its parts in brief. Pure.
 * Same key twice: either; different keys and words: all. What it does not understand is looked for as a word.
 */

export interface RunFilter {
  words: readonly string[];
  tools: readonly string[];
  servers: readonly string[];
  agents: readonly string[];
  states: readonly FilterState[];
}

export type FilterState = "error" | "denied" | "cancelled" | "lost" | "running" | "slow" | "truncated" | "note";

const STATES: readonly string[] = ["error", "denied", "cancelled", "lost", "running", "slow", "truncated", "note"];

export function parseRunFilter(text: string): RunFilter {
  const filter = { words: [], tools: [], servers: [], agents: [], states: [] } as Record<keyof RunFilter, string[]>;
  for (const [, key = "", quotedValue, value = "", quoted, word = ""] of text.matchAll(
    /(tool|server|agent|is):(?:"([^"]*)"?|(\S*))|"([^"]*)"?|(\S+)/gi,
  )) {
    const wanted = (quotedValue ?? value).toLowerCase();
    const list = { tool: filter.tools, server: filter.servers, agent: filter.agents }[key.toLowerCase()];
    if (key === "") filter.words.push((quoted ?? word).toLowerCase());
    else if (wanted === "") continue;
    else if (list !== undefined) list.push(wanted);
    else if (STATES.includes(wanted)) filter.states.push(wanted);
    else filter.words.push(`${key}:${wanted}`.toLowerCase());
  }
  filter.words = filter.words.filter((each) => each !== "");
  return filter as unknown as RunFilter;
}

export function isEmptyFilter({ words, tools, servers, agents, states }: RunFilter): boolean {
  return words.length + tools.length + servers.length + agents.length + states.length === 0;
}

/** The filter's text with one more term, or without it where it is there already. */
export function toggledTerm(text: string, term: string): string {
  const terms = [...text.matchAll(/(?:[a-z]+:)?"[^"]*"?|\S+/gi)].map(([each]) => each);
  const others = terms.filter((each) => each.toLowerCase() !== term.toLowerCase());
  return (others.length < terms.length ? others : [...terms, term]).join(" ");
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
