import { RunScript, textResult } from "../run-script.ts";

/** Recordings that want to be more than text: every field holds what would hurt a page that trusts it. */

export const HOSTILE = [
  "<script>window.hurt=1</script>",
  "<img src=x onerror=window.hurt=2>",
  "</title></script><svg/onload=window.hurt=3>",
  "javascript:window.hurt=4",
  "[click](javascript:window.hurt=5) ![i](https://example.org/track.png)",
  "\u001b]8;;https://example.org\u0007link\u001b]8;;\u0007 \u001b[31mred\u001b[0m \u001b[2J\u001b[H",
  "abc\u202edcba\u202c\u2066x\u2069 \u200b\u200e\ufeff",
  "nul\u0000 bell\u0007 lone\ud800 \udc00end",
  "Z̷̛͎̤a̸̢̛l̵̙͌g̶̱̈o̷͓͘".repeat(20),
  "constructor __proto__ toString hasOwnProperty",
  "W".repeat(2000),
  "\u{1f469}\u200d\u{1f469}\u200d\u{1f467} עברית العربية 日本語のテキスト",
];

export function hostileRun(startedAt: number): RunScript {
  const all = HOSTILE.join(" ");
  const run = new RunScript({
    id: "run_hostile",
    startedAt,
    prompt: all,
    host: { app: HOSTILE[1] ?? "", version: HOSTILE[6] ?? "" },
    cwd: `/home/${HOSTILE[0]}/${HOSTILE[6]}`,
    servers: [HOSTILE[0] ?? "", "__proto__"],
  });
  for (const text of HOSTILE) {
    run.note("thought", text).note("text", text).note("warning", text);
    run.call({
      server: text,
      tool: text,
      args: { [text]: text, nested: { __proto__: text, list: [text, { [text]: null }] } },
      result: textResult(text),
      agent: text,
      context: text,
    });
    run.call({ tool: "Bash", args: { command: text, description: text }, error: text });
  }
  run.call({
    server: "deep",
    tool: "nest",
    args: { text: `${"[".repeat(3000)}${"]".repeat(3000)}` },
    result: textResult("x".repeat(1_000_000)),
  });
  run.call({
    server: "deep",
    tool: "lines",
    args: {},
    result: textResult(
      Array.from({ length: 60_000 }, (_, n) => `line ${n} ${HOSTILE[n % HOSTILE.length]?.slice(0, 40)}`).join("\n"),
    ),
  });
  run.gap(HOSTILE[1] ?? "", 2);
  return run.answer(all).close("failed");
}
