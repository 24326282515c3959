import { Problem } from "../../core/problem.ts";
import { type ConfigDocument, type ConfigFormatId, ConfigSyntaxError } from "../edit/config-text.ts";
import { formatOf } from "../edit/formats.ts";
import { type FileState, readState } from "../safe-write.ts";

/**
 * Reads a file that others may be writing at this moment: what does not parse is looked at again until it does, or until it
 * has stayed the same for so long that nobody is writing it. Never gives a text that does not parse.
 */

export interface SettledFile {
  state: FileState;
  /** Null where there is no file. */
  document: ConfigDocument | null;
}

/** How long a text that does not parse has to stay the same until it is believed to be meant so. */
const STAYS_MS = 300;
/** However much is written to it meanwhile. */
const MOST_MS = 5000;
const PAUSE_MS = 5;

/** Throws a `Problem` that says where the text is wrong. */
export async function readSettled(path: string, format: ConfigFormatId): Promise<SettledFile> {
  const startedAt = performance.now();
  let lastBytes: Buffer | null = null;
  let sameSince = startedAt;
  for (;;) {
    let state: FileState | null = null;
    let problem: ConfigSyntaxError | null = null;
    try {
      state = readState(path);
      if (state.bytes === null) return { state, document: null };
      const document = formatOf(format).parse(state.text);
      // A file is empty for a moment when somebody writes it in place.
      if (state.bytes.length > 0 || performance.now() - sameSince > STAYS_MS) return { state, document };
    } catch (cause) {
      if (!(cause instanceof ConfigSyntaxError)) throw cause;
      problem = cause;
    }
    const bytes: Buffer | null = state?.bytes ?? null;
    const isSame: boolean = bytes === null ? lastBytes === null : lastBytes !== null && bytes.equals(lastBytes);
    const now = performance.now();
    if (!isSame) sameSince = now;
    lastBytes = bytes;
    if (problem !== null && (now - sameSince > STAYS_MS || now - startedAt > MOST_MS))
      throw syntaxProblem(path, problem);
    await Bun.sleep(PAUSE_MS);
  }
}

function syntaxProblem(path: string, { message, line, column }: ConfigSyntaxError): Problem {
  return new Problem(
    "config-syntax",
    `${path}:${line}:${column}: ${message}`,
    "The file was left alone. Put that right, then run the command again.",
  );
}
