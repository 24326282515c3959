/** Run once before every vitest run: the executable that the process tests start must exist. Never builds it. */

import { accessSync, constants } from "node:fs";
import { BIR } from "./locations.ts";

export default function requireExecutable(): void {
  try {
    accessSync(BIR, constants.X_OK);
  } catch {
    throw new Error(`${BIR} does not exist or cannot be executed. Make it first: bun run build`);
  }
}
