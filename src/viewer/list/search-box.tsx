import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Facets, QueryIssue } from "../../core/service-wire.ts";
import { Icon } from "../ui/icon.tsx";
import { visibleText } from "../ui/visible.ts";
import { queryParts } from "./query-text.ts";
import { type Suggestion, suggestionsAt } from "./suggest.ts";

/**
 * The search box: free text with a small language in it. What is recognised is tinted, what cannot be understood is
 * underlined and told below, and what may be meant is offered in a list that the keyboard reaches.
 */

export interface SearchBoxProps {
  text: string;
  issues: readonly QueryIssue[];
  facets: Facets | null;
  isBusy: boolean;
  /** `isFinal`: not while somebody is still writing. */
  onText: (text: string, isFinal: boolean) => void;
  /** Down from the box into what was found. */
  onLeave: () => void;
  /** Called when somebody begins to write. */
  onBegin: () => void;
  /** Called with what puts the focus into the box. */
  register: (focus: () => void) => void;
}

export function SearchBox(props: SearchBoxProps) {
  const { text, issues, facets, isBusy, onText, onLeave, onBegin, register } = props;
  const input = useRef<HTMLInputElement>(null);
  const paint = useRef<HTMLDivElement>(null);
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [caret, setCaret] = useState(text.length);
  const [active, setActive] = useState(-1);
  const { start, end, options } = suggestionsAt(text, Math.min(caret, text.length), facets);
  const isListed = isOpen && options.length > 0;

  useEffect(() => {
    register(() => {
      input.current?.focus();
      input.current?.select();
    });
  }, [register]);

  const change = (value: string, at: number, isFinal: boolean) => {
    setCaret(at);
    setActive(-1);
    onText(value, isFinal);
  };
  const take = ({ insert }: Suggestion) => {
    const isKey = insert.endsWith(":");
    const before = text.slice(0, start) + insert + (isKey ? "" : " ");
    const value = before + text.slice(end).replace(/^\s+/, "");
    change(value, before.length, !isKey);
    setOpen(isKey);
    const element = input.current;
    if (element === null) return;
    element.value = value;
    element.focus();
    element.setSelectionRange(before.length, before.length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      if (!isListed && key === "ArrowDown" && text !== "") onLeave();
      else if (!isListed) setOpen(true);
      else setActive((active + (key === "ArrowDown" ? 1 : options.length + (active < 0 ? 0 : -1))) % options.length);
    } else if (key === "Enter") {
      const chosen = isListed ? options[active] : undefined;
      if (chosen !== undefined) take(chosen);
      else {
        setOpen(false);
        onText(text, true);
        onLeave();
      }
    } else if (key === "Tab" && !event.shiftKey && isListed && active >= 0) {
      event.preventDefault();
      const chosen = options[active];
      if (chosen !== undefined) take(chosen);
    } else if (key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (isListed) setOpen(false);
      else if (text !== "") change("", 0, true);
      else input.current?.blur();
    }
  };
  const seeCaret = () => {
    const element = input.current;
    if (element === null) return;
    setCaret(element.selectionStart ?? element.value.length);
    if (paint.current !== null) paint.current.scrollLeft = element.scrollLeft;
  };

  return (
    <search class="search">
      <div class={`search-field${isBusy ? " busy" : ""}`}>
        <Icon name="search" />
        <div class="search-text">
          <div ref={paint} class="search-paint" aria-hidden="true">
            <PaintedQuery text={text} issues={issues} />
          </div>
          <input
            ref={input}
            id={`${id}-input`}
            type="text"
            role="combobox"
            aria-label="Search runs"
            aria-autocomplete="list"
            aria-expanded={isListed}
            aria-controls={isListed ? `${id}-list` : undefined}
            aria-activedescendant={isListed && active >= 0 ? `${id}-${active}` : undefined}
            aria-describedby={issues.length > 0 ? `${id}-issues` : undefined}
            placeholder="Search prompts, calls and results"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={1000}
            value={text}
            onFocus={() => {
              onBegin();
              seeCaret();
            }}
            onClick={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onInput={(event) => {
              setOpen(true);
              change(event.currentTarget.value, event.currentTarget.selectionStart ?? 0, false);
            }}
            onSelect={seeCaret}
            onScroll={seeCaret}
            onKeyDown={onKeyDown}
          />
        </div>
        {text === "" ? (
          <kbd class="search-key">/</kbd>
        ) : (
          <button
            type="button"
            class="icon-button"
            aria-label="Clear the search"
            onClick={() => {
              change("", 0, true);
              input.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {isListed && (
        <div id={`${id}-list`} class="suggestions" role="listbox" aria-label="Suggestions">
          {options.map((option, index) => (
            <div
              key={option.insert}
              id={`${id}-${index}`}
              class="suggestion"
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              // The box keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(option)}
            >
              <code>{option.label}</code>
              <span class="soft">{option.detail}</span>
            </div>
          ))}
        </div>
      )}
      <div id={`${id}-issues`} class="issues" role="status">
        {issues.map((issue) => (
          <p key={issue.start} class="issue">
            <Icon name="alert" />
            <span>
              <code>{visibleText(text.slice(issue.start, issue.end))}</code> is left out: {issue.message}
            </span>
          </p>
        ))}
      </div>
    </search>
  );
}

/** The same text behind the box, of which only tints and underlines are seen. */
function PaintedQuery({ text, issues }: { text: string; issues: readonly QueryIssue[] }) {
  const nodes = [];
  let from = 0;
  for (const { start, end, key } of queryParts(text)) {
    nodes.push(text.slice(from, start));
    const isIssue = issues.some((issue) => issue.start < end && start < issue.end);
    const name = isIssue ? "part-issue" : key === null ? undefined : "part-key";
    nodes.push(
      <span key={start} class={name}>
        {text.slice(start, end)}
      </span>,
    );
    from = end;
  }
  nodes.push(text.slice(from));
  return <>{nodes}</>;
}
