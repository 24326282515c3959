import type { Step } from "../../core/run.ts";
import { span } from "../../core/text/when.ts";

/** What there is to say of a call beside its arguments and result, in words. Pure. */

const JOINS = {
  "host-id": "joined by the id that the host gave it",
  "injected-id": "joined by an id that bir put into the call",
  fingerprint: "joined by its name and arguments",
  ambiguous: "joined to one of several calls that look alike; it may be the other one",
} as const;

/** Who told of a call, and how what they told was put together. */
export function sourceWords({ sources, join }: Pick<Step, "sources" | "join">): string {
  const told: string[] = [];
  if (sources.includes("proxy")) told.push("seen on the wire");
  if (sources.includes("hook")) told.push("told by the host");
  if (sources.includes("transcript")) {
    told.push(sources.length === 1 ? "read in the host's transcript only" : "read in its transcript");
  }
  const last = told.pop() ?? "not told by whom";
  const who = told.length === 0 ? last : `${told.join(", ")} and ${last}`;
  return sentence(join === null ? who : `${who}; ${JOINS[join]}`);
}

/** `1.2 s, 800 ms of it waiting for the host; in 2 rounds, as the server asked the host back before it answered; …`. */
export function timeWords({ durationMs, waitingMs, legs, progress, status }: Step): string {
  const parts: string[] = [];
  if (durationMs === null) parts.push(status === "running" ? "still running" : "how long is not known");
  else
    parts.push(waitingMs > 0 ? `${span(durationMs)}, ${span(waitingMs)} of it waiting for the host` : span(durationMs));
  if (legs > 1) parts.push(`in ${legs} rounds, as the server asked the host back before it answered`);
  if (progress > 0)
    parts.push(
      `the server reported its progress ${progress === 1 ? "once" : `${progress.toLocaleString("en")} times`}`,
    );
  return parts.join("; ");
}

export interface Notice {
  tone: "error" | "warn";
  text: string;
}

/** What a person must know before they trust what they see. */
export function noticesOf(step: Step): Notice[] {
  const notices: Notice[] = [];
  if (step.status === "lost") {
    notices.push({ tone: "warn", text: "The call was seen; how it ended was not." });
  }
  if (step.truncated) {
    notices.push({
      tone: "warn",
      text: "Cut: too large to be kept whole, so only the beginning and the end of a long part were recorded.",
    });
  }
  if (step.join === "ambiguous") {
    notices.push({
      tone: "warn",
      text: "A guess: several calls looked alike, and which report of the host belongs to which is not certain.",
    });
  }
  if (step.status === "denied") notices.push({ tone: "warn", text: "The call was not allowed, and did not run." });
  if (step.status === "cancelled") notices.push({ tone: "warn", text: "The call was called off before it ended." });
  return notices;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
