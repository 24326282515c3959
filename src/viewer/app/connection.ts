import { signal } from "@preact/signals";
import type { IndexState } from "../../core/service-wire.ts";
import type { Source } from "../data/source.ts";

/** Whether the service is heard just now, and how far its index has come: what the frame tells of it. */

/** Null until it is known. */
export const isConnected = signal<boolean | null>(null);

export const indexState = signal<IndexState>({ isCurrent: true, done: 1 });

/** Listens for as long as the page is open. */
export function followConnection(source: Source): void {
  source.watch(null, {
    runs: () => {},
    index: (state) => {
      indexState.value = state;
    },
    connected: (connected) => {
      isConnected.value = connected;
    },
  });
}
