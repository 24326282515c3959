import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * The keyboard: each view says which keys do what while it is shown, one listener finds the binding, and `?` lists them all.
 * Keys are names of `KeyboardEvent.key`; `mod+` is Ctrl, or Cmd on a Mac. While somebody types into a field only Escape and
 * keys with `mod+` count.
 */

export interface KeyBinding {
  /** One or several that do the same: `["j", "ArrowDown"]`. */
  keys: readonly string[];
  /** What it does, for the help: `Next call`. */
  label: string;
  /** `false`: there was nothing to do; the key keeps its usual meaning, or another binding's. */
  run: (event: KeyboardEvent) => unknown;
}

export interface KeyGroup {
  /** Whose keys they are, for the help: `Run`. */
  title: string;
  bindings: readonly KeyBinding[];
}

/** What is bound just now; the last one wins where two bind the same key. */
export const keyGroups = signal<readonly KeyGroup[]>([]);

/** Binds keys while the component is shown. */
export function useKeys(title: string, bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  // Before the browser shows it: the key that somebody presses next is meant for what is there.
  useLayoutEffect(() => {
    const group: KeyGroup = {
      title,
      get bindings() {
        return latest.current;
      },
    };
    keyGroups.value = [...keyGroups.value, group];
    return () => {
      keyGroups.value = keyGroups.value.filter((other) => other !== group);
    };
  }, [title]);
}

/** Listens for keys from now on. */
export function listenForKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    // What lies behind a dialog does not move, wherever the focus is.
    if (document.querySelector("dialog:modal") !== null) return;
    const name = nameOf(event);
    if (isTyping(event.target) && !name.startsWith("mod+") && name !== "Escape") return;
    for (const { bindings } of keyGroups.value.toReversed()) {
      const binding = bindings.find(({ keys }) => keys.includes(name));
      if (binding === undefined || binding.run(event) === false) continue;
      event.preventDefault();
      return;
    }
  });
}

function nameOf(event: KeyboardEvent): string {
  const isMod = event.ctrlKey || event.metaKey;
  if (event.altKey) return `alt+${event.key}`;
  const key = event.shiftKey && event.key.length > 1 ? `shift+${event.key}` : event.key;
  return isMod ? `mod+${key}` : key;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
