import { counted } from "../../../../core/text/when.ts";
import { findProxy } from "../../../../hosts/entry/our-words.ts";
import type { CliContext } from "../../context.ts";
import { type DoctorCheck, type Finding, ok } from "../check.ts";
import { filledIn } from "./filled-in.ts";
import { type ProbeResult, probeServer } from "./mcp-probe.ts";
import { type SurveyedServer, surveyFor } from "./survey.ts";

/**
 * Every server that install has wrapped answers when it is started as its host starts it: with the entry's own command line and
 * variables. No tool is called, so nothing is recorded.
 */
export const serverAnswers: DoctorCheck = {
  name: "servers",
  run: async (input) => {
    const { servers } = await surveyFor(input);
    const wrapped = distinct(
      servers.filter(({ row, entry }) => row !== null && entry.isOurs && entry.command !== null),
    );
    if (wrapped.length === 0) return [ok("no server is wrapped by install, so none was asked")];
    return await inTurn(wrapped, (server) => findingFor(server, input.context));
  },
};

/** Servers that are fetched before they start take their time. */
const ANSWER_MS = 15_000;
/** A second time, without bir. */
const DIRECT_MS = 8000;
const ALL_MS = 60_000;
const AT_ONCE = 4;

/** What a host with a list of variables gives a server beside that list. */
const ALWAYS_PASSED = "HOME LOGNAME PATH SHELL USER LANG LC_ALL TERM TMPDIR TZ".split(" ");

/** Several hosts may share an entry. */
function distinct(servers: readonly SurveyedServer[]): SurveyedServer[] {
  const keyOf = ({ list, entry }: SurveyedServer) => JSON.stringify([list.file, entry.path]);
  return [...new Map(servers.map((server) => [keyOf(server), server])).values()];
}

async function inTurn(
  servers: readonly SurveyedServer[],
  look: (server: SurveyedServer) => Promise<Finding>,
): Promise<Finding[]> {
  const end = performance.now() + ALL_MS;
  const found: Finding[] = [];
  const queue = [...servers.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, server] = next;
      const isLate = performance.now() > end;
      found[index] = isLate ? info(`${server.where} was not asked: the others took too long`) : await look(server);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found;
}

async function findingFor(server: SurveyedServer, context: CliContext): Promise<Finding> {
  const { where, entry } = server;
  const launch = launchOf(server, context);
  if ("form" in launch) return info(`${where} cannot be tried here: only its host knows ${launch.form}`);
  const result = await probeServer({ ...launch, cwd: context.cwd, withinMs: ANSWER_MS });
  if (result.kind === "answers") return ok(`${where} answers through bir: ${counted(result.tools, "tool")}`);
  const own = findProxy(launch.command)?.commandAt ?? null;
  const message = `${where} ${inWords(result)}`;
  if (own === null) {
    const hint = "See that it can be reached, and that its credential is right; `bir proxy` says why on stderr.";
    return { severity: "warning", message, hint };
  }
  const command = launch.command.slice(own);
  const direct = await probeServer({ command, env: launch.env, cwd: context.cwd, withinMs: DIRECT_MS });
  if (direct.kind === "answers") {
    const hint = `Take bir out and report it, please: bir uninstall --server ${entry.name}`;
    return { severity: "error", message: `${message}, and does without bir`, hint };
  }
  const hint = "Run its own command in a terminal to see what it says.";
  return { severity: "warning", message: `${message}, with or without bir`, hint };
}

function launchOf(
  { host, entry }: SurveyedServer,
  { env }: CliContext,
): { command: string[]; env: Record<string, string | undefined> } | { form: string } {
  const { expansion, passesVariables } = host;
  const command: string[] = [];
  for (const word of [entry.command ?? "", ...entry.args]) {
    const filled = filledIn(word, expansion, env);
    if ("form" in filled) return filled;
    command.push(filled.text);
  }
  const given: Record<string, string | undefined> = {};
  const listed = entry.node.members.find(({ key }) => key === passesVariables?.listKey)?.value.value;
  const names =
    passesVariables === null ? Object.keys(env) : [...ALWAYS_PASSED, ...(Array.isArray(listed) ? listed : [])];
  for (const name of names) given[String(name)] = env[String(name)];
  for (const [name, value] of Object.entries(entry.env)) {
    const filled = filledIn(String(value), expansion?.inEnv === true ? expansion : null, env);
    if ("form" in filled) return filled;
    given[name] = filled.text;
  }
  return { command, env: given };
}

function inWords(result: Exclude<ProbeResult, { kind: "answers" }>): string {
  if (result.kind === "not-started") return "cannot be started";
  if (result.kind === "refuses") return "answers with an error";
  if (result.kind === "silent") return `does not answer within ${ANSWER_MS / 1000} seconds`;
  return `ends${result.code === null ? "" : ` with ${result.code}`} before it answers`;
}

function info(message: string): Finding {
  return { severity: "info", message, hint: null };
}
