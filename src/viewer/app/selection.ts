import { signal } from "@preact/signals";

/** The runs that are chosen to be compared: two at most, the one that was chosen first on the left. */

export const selection = signal<readonly string[]>([]);

/** Chooses a run, or no longer; of three the oldest choice is let go. */
export function toggleSelected(id: string): void {
  const kept = selection.value.filter((other) => other !== id);
  selection.value = kept.length < selection.value.length ? kept : [...kept.slice(-1), id];
}

export function clearSelection(): void {
  selection.value = [];
}
