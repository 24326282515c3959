import { Ledger, ledgerPath } from "../../../hosts/ledger.ts";

/** Whether hosts still have something of ours in their settings, as the ledger tells. */

/** A ledger that cannot be read may tell of anything: then it counts as one that does. */
export function isInHosts(home: string): boolean {
  try {
    return Ledger.read(ledgerPath(home)).isInUse;
  } catch {
    return true;
  }
}
