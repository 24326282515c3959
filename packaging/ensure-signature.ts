import { readFile, writeFile } from "node:fs/promises";
import { signAdHoc } from "./adhoc-signature.ts";
import { signatureFaults } from "./signature-check.ts";

/** Signs the Mach-O executable at `path` ad hoc unless its signature holds already. Throws when that does not help. */
export async function ensureAdHocSignature(path: string, identifier: string): Promise<void> {
  const file = await readFile(path);
  if (signatureFaults(file).length === 0) return;
  const signed = signAdHoc(file, identifier);
  const faults = signatureFaults(signed);
  if (faults.length > 0) throw new Error(`${path} could not be signed: ${faults.join("; ")}`);
  await writeFile(path, signed);
}
