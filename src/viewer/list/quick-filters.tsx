import type { Facets } from "../../core/service-wire.ts";
import { hasPart, togglePart } from "./query-text.ts";

/** What is asked for most, one press away: each puts a part into the search, or takes it out. */

const FILTERS = [
  { key: "is", value: "running", label: "Running" },
  { key: "is", value: "error", label: "With errors" },
  { key: "is", value: "incomplete", label: "Incomplete" },
  { key: "after", value: "24h", label: "Last 24 hours" },
] as const;

const MOST_HOSTS = 4;

interface QuickFiltersProps {
  text: string;
  facets: Facets | null;
  onText: (text: string, isFinal: boolean) => void;
}

export function QuickFilters({ text, facets, onText }: QuickFiltersProps) {
  const hosts = facets === null || facets.hosts.length < 2 ? [] : facets.hosts.slice(0, MOST_HOSTS);
  const chips = [...FILTERS, ...hosts.map(({ value }) => ({ key: "host", value, label: value }))];
  return (
    <div class="quick-filters" role="group" aria-label="Filters">
      {chips.map(({ key, value, label }) => (
        <button
          key={`${key}:${value}`}
          type="button"
          class="chip"
          aria-pressed={hasPart(text, key, value)}
          onClick={() => onText(togglePart(text, key, value), true)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
