import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { QUERY_KEYS } from "../list/suggest.ts";
import { Icon } from "../ui/icon.tsx";
import { type KeyGroup, keyGroups } from "./keys.ts";

/** The keys that work here, and the language of the search box. */

export const isHelpOpen = signal(false);

const NAMES: Record<string, string> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Delete: "Del",
  " ": "Space",
};

export function Help({ hasSearch }: { hasSearch: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open === isOpen) return;
    if (isOpen) element.showModal();
    else element.close();
  }, [isOpen]);
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={close}
      onKeyDown={(event) => {
        // What lies behind it does not move.
        event.stopPropagation();
        if (event.key === "?") close();
      }}
      onClick={(event) => {
        // A click on the ground behind it.
        if (event.target === dialog.current) close();
      }}
    >
      {isOpen && (
        <div class="help-body">
          <header>
            <h2 id="help-title">{hasSearch ? "Keys and search" : "Keys"}</h2>
            <button type="button" class="icon-button" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </header>
          <div class="help-columns">
            {mergedGroups(keyGroups.value).map(({ title, bindings }) => (
              <section key={title}>
                <h3>{title}</h3>
                <dl>
                  {bindings.map(({ keys, label }) => (
                    <div key={label}>
                      <dt>
                        {keys.map((key) => (
                          <kbd key={key}>{spelled(key)}</kbd>
                        ))}
                      </dt>
                      <dd>{label}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
          {hasSearch && <QueryHelp />}
        </div>
      )}
    </dialog>
  );
}

function QueryHelp() {
  return (
    <section class="help-query">
      <h3>What can be searched for</h3>
      <dl>
        <div>
          <dt>
            <code>word "two words"</code>
          </dt>
          <dd>anywhere in prompts, calls, results and answers; all of them</dd>
        </div>
        {QUERY_KEYS.map(({ example, detail }) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{detail}</dd>
          </div>
        ))}
      </dl>
      <p class="soft">
        The same key twice means either; different keys mean both. A value with a space goes in quotes.
      </p>
    </section>
  );
}

/** Groups of the same title as one; the innermost first. */
function mergedGroups(groups: readonly KeyGroup[]): KeyGroup[] {
  const merged = new Map<string, KeyGroup>();
  for (const { title, bindings } of groups.toReversed()) {
    const before = merged.get(title)?.bindings ?? [];
    const labels = new Set(before.map(({ label }) => label));
    merged.set(title, { title, bindings: [...before, ...bindings.filter(({ label }) => !labels.has(label))] });
  }
  return [...merged.values()];
}

/** As a keyboard names it. */
function spelled(key: string): string {
  return key
    .split("+")
    .map((part) => NAMES[part] ?? (part === "mod" ? (/Mac/.test(navigator.platform) ? "⌘" : "Ctrl") : part))
    .map((part) => (part === "shift" ? "Shift" : part === "alt" ? "Alt" : part))
    .join("+");
}
