import type { MadeText } from "./made-text.ts";
import { HOSTS, TOOLS } from "./make-store.ts";

/** What people ask a large store, kind by kind; each kind gives as many different questions as are wanted. */

export interface Kind {
  title: string;
  question(text: MadeText): string;
}

const letters = "abcdefghijklmnopqrstuvwxyz";

/** A word of a rank: 0 is the most frequent. */
const ranked = (text: MadeText, from: number, to: number) => text.words[from + text.below(to - from)] ?? "";
const common = (text: MadeText) => ranked(text, 0, 100);
const rare = (text: MadeText) => ranked(text, 5000, 40_000);
const pick = <T>(text: MadeText, values: readonly T[]): T => values[text.below(values.length)] as T;
const tool = (text: MadeText) => pick(text, TOOLS);

export const KINDS: readonly Kind[] = [
  { title: "nothing", question: () => "" },
  { title: "1 letter", question: (text) => pick(text, [...letters]) },
  { title: "2 letters", question: (text) => common(text).slice(0, 2) },
  { title: "3 letters", question: (text) => common(text).slice(0, 3) },
  { title: "a word being typed", question: (text) => rare(text).slice(0, 1 + text.below(7)) },
  { title: "common word", question: common },
  { title: "rare word", question: rare },
  { title: "an id (in one call)", question: (text) => text.id() },
  { title: "a word that is nowhere", question: (text) => `zzz${text.word()}` },
  { title: "two common words", question: (text) => `${common(text)} ${common(text)}` },
  {
    title: "two common words, the second being typed",
    question: (text) => `${common(text)} ${common(text).slice(0, 2)}`,
  },
  { title: "two rare words", question: (text) => `${rare(text)} ${rare(text)}` },
  { title: "a common and a rare word", question: (text) => `${common(text)} ${rare(text)}` },
  { title: "three common words", question: (text) => `${common(text)} ${common(text)} ${common(text)}` },
  { title: "phrase of common words", question: (text) => `"${common(text)} ${common(text)}"` },
  { title: "a path", question: (text) => `/home/ada/${common(text)}/${rare(text)}` },
  { title: "the beginning of all paths", question: (text) => `/home/ada/${common(text).slice(0, 3)}` },
  { title: "tool:", question: (text) => `tool:${tool(text).tool}` },
  { title: "tool: and a word", question: (text) => `tool:${tool(text).tool} ${common(text)}` },
  { title: "server: and a word", question: (text) => `server:${tool(text).server} ${rare(text)}` },
  { title: "is:error", question: () => "is:error" },
  { title: "is:error and a word", question: (text) => `is:error ${common(text)}` },
  { title: "host:", question: (text) => `host:${pick(text, HOSTS)}` },
  { title: "host: and a word", question: (text) => `host:${pick(text, HOSTS)} ${common(text)}` },
  { title: "is:lossy and a word", question: (text) => `is:lossy ${common(text)}` },
  { title: "status:failed and two letters", question: (text) => `status:failed ${common(text).slice(0, 2)}` },
  { title: "before: and a word", question: (text) => `before:2026-01-1${text.below(10)} ${common(text)}` },
];
