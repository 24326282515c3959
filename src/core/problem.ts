import { EXIT, type ExitCode } from "./exit-codes.ts";

/** An expected failure as a person reads it: what happened and what to do next. `--json` gives the same fields. */
export class Problem extends Error {
  readonly code: string;
  readonly hint: string;
  readonly exitCode: ExitCode;

  /** `code` is stable and kebab-case; `message` and `hint` are one sentence each, without a secret or a foreign body. */
  constructor(code: string, message: string, hint: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.name = "Problem";
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
  }

  toJSON(): { error: { code: string; message: string; hint: string } } {
    return { error: { code: this.code, message: this.message, hint: this.hint } };
  }
}
