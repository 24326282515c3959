/**
 * A scriptable stdio MCP server, without any SDK. Run it with `bun test/fakes/upstream.ts FLAGS`.
 * Every byte it writes is written at once (blocking), so a test decides exactly what goes over the wire and when.
 * Says `fake upstream ready pid=N` on stderr when it reads (not with --quiet).
 *
 * FLAGS FOR EVERY MODE
 *   --log FILE            append every byte received to FILE
 *   --quiet               no ready line
 *   --stderr TEXT         write TEXT to stderr at the start, exactly
 *   --exit-at-start N     exit with N before reading anything
 *   --ignore SIG[,SIG]    ignore these signals, for instance SIGTERM,SIGINT,SIGHUP
 *   --grandchild WHERE    start `sleep 600` that inherits stdin, stdout and stderr; WHERE is `group` (this process
 *                         group) or `session` (its own); says `grandchild pid=N` on stderr
 *
 * MODE --cat              write back every byte as it arrives; exit 0 at EOF
 * MODE --script FILE      run the steps of a JSON file, one after the other; see scripted-peer.ts
 * MODE (none of these)    an MCP server:
 *   --era legacy|modern|both   the protocol generations spoken; both by default. legacy: the `initialize` handshake,
 *                              2024-11-05 to 2025-11-25. modern: 2026-07-28, stateless, `server/discover`
 *   --discover-silent          never answer `server/discover` (a legacy server may do that)
 *   --on-eof N|ignore          exit code at EOF (0 by default), or live on
 *
 * TOOLS OF THE MCP SERVER (any other name answers like `echo`)
 *   echo {text?}                    text, or the arguments as JSON
 *   raw {base64}                    writes these bytes instead of an answer
 *   split {text}                    an answer written one byte at a time
 *   crlf {}                         an answer that ends with CR LF
 *   stray {lines}                   writes these lines before the answer
 *   delay {ms}                      answers later
 *   hold {key}, release {keys}      `hold` answers when `release` names its key, in the order given, cancelled or not
 *   cancellable {}                  waits for notifications/cancelled, then never answers; says `cancelled ID` on stderr
 *   never {}                        never answers; says `holding ID` on stderr
 *   die {code?, signal?, partial?}  writes `partial` (no line feed of its own) and is gone
 *   flood {messages, bytes?}        writes that many log notifications of that size, then answers
 *   big {bytes}                     a text of that size
 *   ask {method, params?, id}       sends a request to the host; answers with the line that came back
 *   progress {during?, after?, unknown?}  that many progress notifications before the answer, after it, and with a
 *                                   token that nobody gave
 *   rounds {rounds}                 2026-07-28: answers `input_required` that many times, then completes
 *   task {polls, outcome?}          a task: in the shape of 2025-11-25 when `params.task` is there, of the extension
 *                                   in a 2026-07-28 request; done (or `failed`) after that many tasks/get
 *   listeners {event, end?}         sends a list_changed to every open subscriptions/listen; `end` closes them
 *   fail {text?}                    isError
 *   protocol-error {}               a JSON-RPC error -32602 with data
 *   url-required {}                 error -32042 with data
 *   structured {}, image {}, links {}   structuredContent and _meta · an image · a resource link and a resource
 *   meta {}                         answers with the `_meta` of the call
 *   env {name}                      a variable of this process, JSON; null when it is not set
 *   stderr {text}                   writes text to stderr, exactly, then answers
 *   close-stdin {}                  closes its own stdin, says `stdin closed`; answers when it gets SIGUSR2
 *
 * METHODS   initialize, ping, tools/list, resources/list|templates/list|read|subscribe|unsubscribe, prompts/list|get,
 * completion/complete, logging/setLevel, tasks/get|list|result|update|cancel, server/discover, subscriptions/listen;
 * anything else is answered with -32601.
 */

import { parseArgs } from "node:util";
import { serveMcp } from "./mcp-server.ts";
import { catBytes, runScript } from "./scripted-peer.ts";
import { logReceivedTo, say, writeBytes } from "./wire-io.ts";

const { values: flags } = parseArgs({
  options: {
    log: { type: "string" },
    quiet: { type: "boolean", default: false },
    stderr: { type: "string" },
    "exit-at-start": { type: "string" },
    ignore: { type: "string" },
    grandchild: { type: "string" },
    cat: { type: "boolean", default: false },
    script: { type: "string" },
    era: { type: "string", default: "both" },
    "discover-silent": { type: "boolean", default: false },
    "on-eof": { type: "string", default: "0" },
  },
});

for (const name of flags.ignore?.split(",") ?? []) process.on(name as NodeJS.Signals, () => say(`ignored ${name}`));
if (flags.stderr !== undefined) writeBytes(2, flags.stderr);
if (flags["exit-at-start"] !== undefined) process.exit(Number(flags["exit-at-start"]));
if (flags.log !== undefined) logReceivedTo(flags.log);
if (flags.grandchild !== undefined) {
  const child = Bun.spawn(["sleep", "600"], {
    stdio: ["inherit", "inherit", "inherit"],
    detached: flags.grandchild === "session",
  });
  child.unref();
  say(`grandchild pid=${child.pid}`);
}
if (!flags.quiet) say(`fake upstream ready pid=${process.pid}`);

if (flags.script !== undefined) runScript(flags.script);
else if (flags.cat) catBytes();
else {
  serveMcp({
    legacy: flags.era !== "modern",
    modern: flags.era !== "legacy",
    discoverSilent: flags["discover-silent"],
    onEof: flags["on-eof"] === "ignore" ? "ignore" : Number(flags["on-eof"]),
  });
}
