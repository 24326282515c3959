import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { QUERY_KEYS } from "../list/suggest.ts";
import { FILTER_KEYS } from "../run/run-filter.ts";
import { Icon } from "../ui/icon.tsx";
import { type KeyGroup, keyGroups } from "./keys.ts";
import { route } from "./route.ts";

/** The keys that work here, and the language of the search box or filter that is here. */

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
  const language = languageOf(route.value.view, hasSearch);
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
        // The focus may be in it for a moment after it was closed: that key is meant for what is seen.
        if (dialog.current?.open !== true) return;
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
            <h2 id="help-title">{language === null ? "Keys" : `Keys and ${language.name}`}</h2>
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
          {language !== null && <QueryHelp language={language} />}
        </div>
      )}
    </dialog>
  );
}

interface Language {
  name: string;
  title: string;
  /** What free words look through. */
  words: string;
  keys: readonly { example: string; detail: string }[];
}

const SEARCH: Language = {
  name: "search",
  title: "What can be searched for",
  words: "anywhere in prompts, calls, results and answers; all of them",
  keys: QUERY_KEYS,
};

const FILTER: Language = {
  name: "filter",
  title: "What the calls of this run can be filtered by",
  words: "anywhere in what this page shows of a call, a note, the prompt or the answer; all of them",
  keys: FILTER_KEYS,
};

/** What is typed in the view that is shown; null where there is nothing to type. */
function languageOf(view: "runs" | "run" | "compare", hasSearch: boolean): Language | null {
  if (view === "run") return FILTER;
  return view === "runs" && hasSearch ? SEARCH : null;
}

function QueryHelp({ language: { title, words, keys } }: { language: Language }) {
  return (
    <section class="help-query">
      <h3>{title}</h3>
      <dl>
        <div>
          <dt>
            <code>word "two words"</code>
          </dt>
          <dd>{words}</dd>
        </div>
        {keys.map(({ example, detail }) => (
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
