import type { ComponentChildren } from "preact";
import { isSignedOut } from "../data/ask.ts";
import type { SourceProblem } from "../data/source.ts";
import { copyText } from "../ui/copy.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { hrefOf } from "./route.ts";
import { useTitle } from "./title.ts";

/** What is shown where there is nothing to show: why, and what a person can do about it. */

interface StateProps {
  icon: IconName;
  title: string;
  /** There is no other heading on the page. */
  isAlone?: boolean;
  children?: ComponentChildren;
}

export function State({ icon, title, isAlone = false, children }: StateProps) {
  return (
    <section class="state">
      <span class="state-icon">
        <Icon name={icon} />
      </span>
      {isAlone ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** The browser has no key, or one that the service does not know. */
export function SignedOut() {
  useTitle("Not signed in");
  return (
    <State icon="link" title="Open this page with its link" isAlone>
      <p>For your safety only a link from your own terminal opens the recordings. Make a new one:</p>
      <Command text="bir view" />
      <p class="soft">This tab goes on by itself once the link was opened in this browser.</p>
      <button
        type="button"
        class="button"
        onClick={() => {
          isSignedOut.value = false;
        }}
      >
        Try again
      </button>
    </State>
  );
}

const TITLES = {
  unreachable: "The service does not answer",
  unavailable: "Not available just now",
  refused: "That did not work",
  "signed-out": "Not signed in",
};

/** Why something could not be got from the service. `onRetry` is given where asking again may help. */
export function ProblemState({ problem, onRetry }: { problem: SourceProblem; onRetry?: () => void }) {
  const { code, message } = problem;
  if (code === "not-found") {
    return (
      <State icon="search" title="Not found">
        <p>{message} It may have been deleted, or the link is incomplete.</p>
        <a class="button" href={hrefOf({ view: "runs", query: "" })}>
          All runs
        </a>
      </State>
    );
  }
  return (
    <State icon="alert" title={TITLES[code]}>
      <p>{problem.mayPass ? `${message} Trying again…` : message}</p>
      {code === "unreachable" && (
        <p class="soft">
          If it was stopped, <code>bir view</code> starts it again.
        </p>
      )}
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          Try now
        </button>
      )}
    </State>
  );
}

/** A command for a terminal, with a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <button
        type="button"
        class="icon-button"
        aria-label={`Copy ${text}`}
        onClick={() => void copyText(text, "the command")}
      >
        <Icon name="copy" />
      </button>
    </div>
  );
}
