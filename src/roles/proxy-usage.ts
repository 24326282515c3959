import { EXIT, type ExitCode } from "../core/exit-codes.ts";
import { Problem } from "../core/problem.ts";
import { print, printError } from "../kit/output.ts";

/** What `bir proxy --help` prints. Apart from the role, so that a proxy that runs does not load it. */

export interface ProxyOption {
  /** As it is typed, its value behind a space. */
  name: string;
  brief: string;
}

/** Every option before `--`, in the order the help lists them. */
export const PROXY_OPTIONS: readonly ProxyOption[] = [
  { name: "--server-name NAME", brief: "the server's name in recordings; else COMMAND's base name or URL's host" },
  { name: "--url URL", brief: "the server is remote: http or https, in place of a COMMAND" },
  { name: "--transport http|sse", brief: "with --url: how it is spoken to; without this bir finds out" },
  { name: "--header NAME:VALUE", brief: "with --url: sent with every request; may be given several times" },
  { name: "--bearer-env VAR", brief: "with --url: sends the token that the variable VAR holds" },
  { name: "--no-record", brief: "pass everything on and record nothing" },
  { name: "--restart", brief: "when COMMAND dies, start it once more and repeat the handshake" },
  { name: "--stay-up", brief: "when the server is gone for good, stay and answer that it is not available" },
  { name: "--standalone", brief: "keep the record in this process alone; never tell a control server" },
  { name: "--scope user", brief: "this entry is for the whole user: record only where recording was set up" },
  { name: "--no-correlation", brief: "leave calls as they are, whatever BIR_CORRELATION_DECISION says" },
  { name: "-h, --help", brief: "this text" },
];

export const PROXY_USAGE = `Usage: bir proxy [--server-name NAME] [options] -- COMMAND [ARGS…]
       bir proxy [--server-name NAME] [options] --url URL

Stands between an MCP host and a server, which it starts (COMMAND) or reaches over HTTP (URL): every message passes both
ways as it is, and every tool call is recorded. Write it in a host's configuration in place of the server's own command:

  before   npx -y @modelcontextprotocol/server-filesystem /data
  after    bir proxy --server-name files -- npx -y @modelcontextprotocol/server-filesystem /data

or in place of a remote server's address:

  before   "type": "http",
           "url": "https://example.com/mcp",
           "headers": { "Authorization": "Bearer \${API_TOKEN}" }
  after    "command": "bir",
           "args": ["proxy", "--server-name", "example", "--url", "https://example.com/mcp"],
           "env": { "BIR_UPSTREAM_HEADERS": "{\\"Authorization\\": \\"Bearer \${API_TOKEN}\\"}" }

Ends with a started server's own exit status; with 2 when this command line is wrong.

Options
${listed(PROXY_OPTIONS)}

Headers that are secrets belong into BIR_UPSTREAM_HEADERS, or into a variable that --bearer-env names: every user of this
machine can see what --header says. --header wins over --bearer-env, and both win over BIR_UPSTREAM_HEADERS. They go to the
server at URL only, never to another one that it redirects to. A remote server that does not answer, or refuses, ends
nothing: each request gets an error.

Where a control server answers (\`bir status\` tells), calls are recorded by it, together with what the host's hooks tell of
the session; without one the proxy keeps a run of its own, and moves on to a server that comes later. With --scope user it
records only where \`bir install\` was run.

\`bir run list\` shows what was recorded; \`bir off\` turns recording off.
`;

/** Prints the help and answers the exit status; what keeps it from being printed is told in one line. */
export async function printProxyUsage(): Promise<ExitCode> {
  try {
    await print(PROXY_USAGE);
    return EXIT.ok;
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    await printError(`bir: ${cause.message}. ${cause.hint}`);
    return cause.exitCode;
  }
}

function listed(options: readonly ProxyOption[]): string {
  return options.map(({ name, brief }) => `  ${name.padEnd(22)}${brief}`).join("\n");
}
