import { type HookRoute, routeOf } from "../core/control-wire.ts";
import type { HookFact, HookReading } from "../core/hook-fact.ts";
import { knownServers, type ServerAddress } from "../kit/discovery.ts";
import { isSet, readEnv } from "../kit/env.ts";
import { debug } from "../kit/log.ts";
import { isSwitchedOff } from "../kit/off-switch.ts";
import { birHome } from "../kit/paths.ts";
import { configureRedaction } from "../redact/redact.ts";
import { readClaudeCodeHook } from "./claude-code.ts";
import { deliver } from "./delivery.ts";
import { readHookInput } from "./hook-input.ts";
import { hookReport } from "./hook-report.ts";

/**
 * One hook, from what the host writes to what the control server is told: read, redacted, handed over. A host may wait for it
 * at every call of a tool, so that nothing is loaded here that an ordinary hook does not need: no module of Node, no schemas,
 * no server. Says nothing to the host, but for an id that a person has asked for.
 */

/** What cannot be read is told where it is most at home: as something of a session (DEG-16). */
const ROUTE_OF_MALFORMED: HookRoute = "/session/prompt";

/** Receives the hook on stdin, whose text must have come `inputMs` from now. */
export async function receiveHook(inputMs: number): Promise<void> {
  const input = await readHookInput(inputMs);
  if (input === null) return;
  if (isSet("BIR_REDACT_LEGACY_KEYS")) configureRedaction({ legacyKeys: true });
  const reading = readClaudeCodeHook(input.text, input.isCut);
  debug("hooks", () => (reading.kind === "fact" ? reading.fact.kind : reading.kind));
  const home = birHome();
  if (reading.kind === "nothing" || (await isOff(reading, home))) return;

  const servers = knownServers(home);
  const fact = reading.kind === "fact" ? reading.fact : null;
  const injecting = fact?.kind === "tool-starting" && readEnv("BIR_CORRELATION_DECISION") !== undefined;
  const injector = injecting ? await import("./injection.ts") : null;
  const injection = fact === null ? null : (injector?.injectionOf(fact, input.text) ?? null);
  const argsHash = fact === null ? null : await argsHashOf(fact, input.text, servers[0]);
  const report = hookReport(reading, argsHash, injection !== null);
  const answer = await deliver(servers, fact === null ? ROUTE_OF_MALFORMED : routeOf(fact.kind), report, home);
  const injectedId = answer?.injectedId ?? null;
  if (injection !== null && injectedId !== null) await injector?.inject(injection, injectedId);
}

/** Off in the directory that the hook runs in, or in the one that the host says the session is in. */
async function isOff(reading: HookReading, home: string): Promise<boolean> {
  const here = process.cwd();
  if (await isSwitchedOff(here, home)) return true;
  const cwd = reading.kind === "fact" ? reading.fact.cwd : null;
  return cwd !== null && cwd !== here && (await isSwitchedOff(cwd, home));
}

/** The fingerprint of a call to an MCP server for which the host gives no id. */
async function argsHashOf(fact: HookFact, text: string, server: ServerAddress | undefined): Promise<string | null> {
  if (server === undefined || !("toolUseId" in fact)) return null;
  if (fact.toolUseId !== null || fact.server === null || fact.isCut) return null;
  const { rawInput } = await import("./raw-input.ts");
  const { argumentsHash } = await import("../jsonrpc/arguments-hash.ts");
  return argumentsHash(rawInput(text) ?? "", server.token);
}
