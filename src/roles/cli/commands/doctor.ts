import { EXIT, type ExitCode } from "../../../core/exit-codes.ts";
import { Problem } from "../../../core/problem.ts";
import { visible } from "../../../core/text/visible.ts";
import { systemCode, systemReason } from "../../../kit/system-reason.ts";
import type { CliContext } from "../context.ts";
import type { DoctorCheck, DoctorInput, Finding, Severity } from "../doctor/check.ts";
import { CHECKS } from "../doctor/checks.ts";
import { printJson } from "../json-output.ts";
import { type Paint, paintFor } from "../text/paint.ts";

/** `bir doctor`: runs every check and tells what each found. */

export interface DoctorFlags {
  config: readonly string[] | undefined;
  json: boolean;
}

export interface NamedFinding extends Finding {
  check: string;
}

const SIGNS: Record<Severity, { sign: string; paint: keyof Paint }> = {
  ok: { sign: "✓ ok     ", paint: "good" },
  info: { sign: "· note   ", paint: "dim" },
  warning: { sign: "! warning", paint: "warn" },
  error: { sign: "✗ broken ", paint: "bad" },
};

export async function doctor(context: CliContext, flags: DoctorFlags): Promise<ExitCode> {
  const findings = await examine({ context, configPaths: flags.config ?? [] }, CHECKS);
  const isBroken = findings.some(({ severity }) => severity === "error");
  if (flags.json) await printJson(context, { ok: !isBroken, findings });
  else
    await context.print(
      `${findings.flatMap((found) => linesOf(found, paintFor(context.terminal.color))).join("\n")}\n`,
    );
  return isBroken ? EXIT.failed : EXIT.ok;
}

/** Runs checks side by side; one that fails is a finding, and stops no other. */
export async function examine(input: DoctorInput, checks: readonly DoctorCheck[]): Promise<NamedFinding[]> {
  const found = (await Promise.all(checks.map((check) => findingsOf(check, input)))).flat();
  // One cause is told once, by the first check that meets it.
  const isFirst = ({ severity, message }: NamedFinding, index: number) =>
    severity !== "error" || found.findIndex((one) => one.message === message) === index;
  return found.filter(isFirst);
}

async function findingsOf(check: DoctorCheck, input: DoctorInput): Promise<NamedFinding[]> {
  let found: Finding[];
  try {
    found = await check.run(input);
  } catch (cause) {
    found = [failureOf(cause)];
  }
  return found.map((finding) => ({ check: check.name, ...finding }));
}

function failureOf(cause: unknown): Finding {
  if (cause instanceof Problem) return { severity: "error", message: cause.message, hint: cause.hint };
  const code = systemCode(cause);
  if (code !== null) {
    const hint = "Put that right and run `bir doctor` again.";
    return { severity: "error", message: `this could not be looked at: ${systemReason(code)}`, hint };
  }
  const detail = cause instanceof Error ? cause.message : String(cause);
  return { severity: "error", message: `this check itself failed: ${detail}`, hint: "Please report it." };
}

function linesOf({ severity, check, message, hint }: NamedFinding, paint: Paint): string[] {
  const { sign, paint: color } = SIGNS[severity];
  const first = `${paint[color](sign)}  ${check}: ${visible(message)}`;
  return hint === null ? [first] : [first, `           → ${visible(hint)}`];
}
