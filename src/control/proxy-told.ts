import type { proxyReportSchema } from "../core/api/control.ts";
import type { RedactedJson } from "../core/redacted.ts";
import { eachElement, eachMember, skipSpace } from "../jsonrpc/json-span.ts";
import { trustedJson } from "../redact/redact.ts";
import type { ProxyTold } from "./recorder.ts";

/**
 * Makes of a proxy's checked reports what is recorded. Payloads are cut out of the request's own text, so that a number which
 * no double can hold, and keys that repeat, are kept as the upstream saw them. The proxy has redacted all of it.
 */

type CheckedReport = ReturnType<typeof proxyReportSchema.parse>;

const PAYLOADS = ["args", "result", "rpcError", "hostMeta"] as const;
type Payloads = Record<(typeof PAYLOADS)[number], RedactedJson | null>;

/** `text` is JSON of an object whose member `reports` was checked to be `reports`. */
export function proxyTold(text: string, reports: readonly CheckedReport[]): ProxyTold[] {
  const starts = reportStarts(text);
  // Checked shapes hold plain strings; that they are redacted is the sender's promise, which its token vouches for.
  return reports.map((report, index) =>
    report.kind === "step"
      ? ({
          ...report,
          callRef: report.callRef ?? report.reportId,
          ...payloadsAt(text, starts[index] ?? -1),
        } as ProxyTold)
      : (report as ProxyTold),
  );
}

/** Where each element of the member `reports` begins. Of a member that repeats the last one counts, as with JSON.parse. */
function reportStarts(text: string): number[] {
  let starts: number[] = [];
  eachMember(text, skipSpace(text, 0), (key, start) => {
    if (key !== "reports") return;
    starts = [];
    eachElement(text, start, (_key, at) => starts.push(at));
  });
  return starts;
}

function payloadsAt(text: string, at: number): Payloads {
  const found: Payloads = { args: null, result: null, rpcError: null, hostMeta: null };
  eachMember(text, at, (key, start, end) => {
    const name = PAYLOADS.find((payload) => payload === key);
    if (name === undefined) return;
    const json = text.slice(start, end);
    found[name] = json === "null" ? null : trustedJson(json);
  });
  return found;
}
