import { signal } from "@preact/signals";

/** Whether long lines are broken at the edge; one switch for all text of the page, as long as it is open. */
export const isWrapped = signal(true);
