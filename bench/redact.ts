/**
 * Speed of redaction: MiB/s and time a call for several sizes and kinds of text. Characters count as bytes. Run with
 * `bun bench/redact.ts`; `--json` prints the figures as JSON.
 */

import { redactJson, redactText } from "../src/redact/redact.ts";

const WORDS =
  `the quick brown fox jumps over a lazy dog while the server answers with rules and counts of results from tools that
  were called before any of them could begin to parse what an agent asked about build logs file paths line numbers tests
  errors in modules which import other modules because people wrote documents for readers not machines and so the password
  field is described here as well as the token budget`.split(/\s+/);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

let seed = 7;
function random(): number {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return seed / 0x7fffffff;
}
const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? "";
const filler = (n: number): string =>
  Array.from({ length: n }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join("");

function prose(size: number): string {
  let out = "";
  while (out.length < size) out += `${word()}${random() < 0.08 ? ".\n" : random() < 0.03 ? ": " : " "}`;
  return out.slice(0, size);
}

/** Rows such as a search or a database tool returns; `secrets` is the share of rows with a key to mask. */
function structured(size: number, secrets = 0): string {
  const rows: object[] = [];
  for (let length = 0; length < size - 120; length += JSON.stringify(rows.at(-1)).length + 1) {
    rows.push({
      id: Math.floor(random() * 1e6),
      name: word(),
      url: `https://example.com/${word()}/${word()}`,
      max_tokens: 1024,
      nextPageToken: word(),
      ...(random() < secrets ? { api_key: filler(32) } : { author: "me" }),
      tags: [word(), word()],
      active: true,
      note: prose(80),
    });
  }
  return JSON.stringify({ content: [{ type: "text", text: "ok" }], structuredContent: { rows } });
}

const inText = (text: string): string => JSON.stringify({ content: [{ type: "text", text }] });

const KINDS: Record<string, (size: number) => string> = {
  structured,
  "JSON in a string": (size) => inText(structured(size * 0.85)),
  prose,
  "prose in JSON": (size) => inText(prose(size - 60)),
  base64: (size) => JSON.stringify({ content: [{ type: "image", mimeType: "image/png", data: filler(size) }] }),
  "non-Latin prose": (size) => prose(size).replace(/[aeo]/g, (c) => ({ a: "語", e: "д", o: "ה" })[c] ?? c),
  "a secret in 4 rows": (size) => structured(size, 0.25),
};

/** Best of many short rounds, in ms a call: other work on the machine lengthens rounds, never shortens them. */
function time(run: () => void): number {
  let calls = 0;
  for (const end = performance.now() + 300; performance.now() < end; calls++) run();
  const repeat = Math.max(1, Math.round(calls / 300));
  let best = Number.POSITIVE_INFINITY;
  for (const end = performance.now() + 600; performance.now() < end; ) {
    const start = performance.now();
    for (let i = 0; i < repeat; i++) run();
    best = Math.min(best, (performance.now() - start) / repeat);
  }
  return best;
}

const figures: { kind: string; characters: number; mibPerSecond: number; microseconds: number }[] = [];
for (const [kind, make] of Object.entries(KINDS)) {
  for (const size of [200, 10_240, 65_536, 1_048_576]) {
    const text = make(size);
    const redact = text.startsWith("{") ? redactJson : redactText;
    const ms = time(() => redact(text));
    figures.push({ kind, characters: text.length, mibPerSecond: text.length / ms / 1048.576, microseconds: ms * 1000 });
  }
}

if (process.argv.includes("--json")) {
  console.log(JSON.stringify(figures, null, 2));
} else {
  console.log("kind                    characters     MiB/s   µs a call");
  for (const { kind, characters, mibPerSecond, microseconds } of figures) {
    const cells = [
      String(characters).padStart(12),
      mibPerSecond.toFixed(0).padStart(10),
      microseconds.toFixed(2).padStart(12),
    ];
    console.log(kind.padEnd(22) + cells.join(""));
  }
}
