import { isSignedOut } from "../data/ask.ts";
import type { Source } from "../data/source.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { indexState, isConnected } from "./connection.ts";
import { isHelpOpen } from "./help.tsx";
import { hrefOf, lastList, route } from "./route.ts";
import { nextTheme, type Theme, theme } from "./theme.ts";

/** The bar at the top: whose page it is, whether it is current, and what holds for the whole of it. */

const THEMES: Record<Theme, { icon: IconName; label: string }> = {
  system: { icon: "system", label: "Theme: as the system" },
  light: { icon: "sun", label: "Theme: light" },
  dark: { icon: "moon", label: "Theme: dark" },
};

export function Header({ source }: { source: Source }) {
  const { icon, label } = THEMES[theme.value];
  return (
    <header class="top-bar">
      {source.kind === "file" ? (
        <span class="brand">
          <Mark /> bir <span class="brand-about">a saved run</span>
        </span>
      ) : (
        <a class="brand" href={hrefOf({ view: "runs", query: "" })} title="All runs">
          <Mark /> bir <span class="brand-about">flight recorder</span>
        </a>
      )}
      {source.kind === "service" && route.value.view !== "runs" && (
        <a class="back-link" href={hrefOf(lastList())} title="Back to the runs (u)">
          <Icon name="back" /> Runs
        </a>
      )}
      <span class="top-space" />
      <ServiceState />
      <button
        type="button"
        class="icon-button"
        aria-label={`${label}. Change`}
        title={`${label} (t)`}
        onClick={nextTheme}
      >
        <Icon name={icon} />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Keys and search"
        title="Keys and search (?)"
        onClick={() => {
          isHelpOpen.value = true;
        }}
      >
        <Icon name="help" />
      </button>
    </header>
  );
}

/** In words, only while something is not as usual. */
function ServiceState() {
  const { isCurrent, done } = indexState.value;
  return (
    <div class="service-state" role="status">
      {isConnected.value === false && !isSignedOut.value && (
        <span class="badge warn">
          <Icon name="alert" /> Not connected, trying again
        </span>
      )}
      {!isCurrent && (
        <span class="index-state">
          {done > 0 && <progress value={done} max={1} aria-label="Search index" />}
          <span>{done === 0 ? "Search index not ready" : `Indexing ${Math.floor(done * 100)} %`}</span>
        </span>
      )}
    </div>
  );
}

/** The tape of a recorder: a line that goes up and down, in a box that survives. */
function Mark() {
  return (
    <svg class="brand-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <rect x="1.5" y="1.5" width="21" height="21" rx="6" />
      <path d="M5 12h2.6l1.9-5 4 10 2.2-6.4.9 1.4H19" />
    </svg>
  );
}
