import { useEffect, useRef, useState } from "preact/hooks";
import type { NoteEntry, RunSummary } from "../../core/run.ts";
import { useKeys } from "../app/keys.ts";
import { hrefOf, runPlace } from "../app/route.ts";
import type { Source } from "../data/source.ts";
import { copyText } from "../ui/copy.ts";
import { Icon } from "../ui/icon.tsx";
import { Recorded } from "../ui/recorded.tsx";
import { StatusBadge } from "../ui/status.tsx";
import { exactTime } from "../ui/time.ts";
import { Detail } from "./detail.tsx";
import { FindBook, FindContext } from "./find/find.ts";
import { FindBar } from "./find/find-bar.tsx";
import type { InspectorPart } from "./inspector-part.ts";
import { PaneContext, usePane } from "./text/pane.ts";
import { useWhole } from "./whole.ts";

/**
 * One call, note, prompt or answer in detail. What is recorded is shown as text and never obeyed: nothing is loaded, nothing
 * runs, and whatever its size, only what is in sight is in the page.
 */

export type { InspectorPart };

export interface InspectorProps {
  source: Source;
  run: Pick<RunSummary, "id">;
  part: InspectorPart;
  /** Everything as the JSON text that was recorded. */
  isRaw: boolean;
  onClose: () => void;
}

export function Inspector({ source, run, part, isRaw, onClose }: InspectorProps) {
  const whole = useWhole(source, run.id, part);
  const id = idOf(part);
  const root = useRef<HTMLDivElement>(null);
  const { box, content, pane } = usePane();
  const find = useFinding();
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
  }, [id]);
  useKeys("Detail", [
    { keys: ["i"], label: "Go into the detail", run: () => box.current?.focus() },
    // What follows holds within the detail; here it is only for the list of keys.
    { keys: ["i /"], label: "Find in the detail", run: find.open },
    { keys: ["i n", "i N"], label: "Next and previous place", run: find.open },
    { keys: ["← →", "+ -"], label: "In a tree: fold and open, one or all below", run: find.open },
    { keys: ["1 … 9 0"], label: "In a tree: open to a depth, fold all", run: find.open },
    { keys: ["c C p"], label: "In a tree: copy value, JSON, path", run: find.open },
  ]);
  return (
    <div
      ref={root}
      class="inspector"
      role="group"
      aria-label={TITLES[part.kind]}
      onKeyDown={(event) => {
        if (obeyFind(find, event)) event.preventDefault();
      }}
    >
      <Head part={whole.part} runId={run.id} id={id} onFind={find.open} onClose={onClose} />
      {find.isOpen && (
        <FindBar
          query={find.query}
          total={find.book.total}
          current={find.book.current}
          wish={find.wish}
          onQuery={find.look}
          onMove={(by) => find.book.move(by)}
          onClose={() => {
            find.close();
            box.current?.focus();
          }}
        />
      )}
      <div ref={box} class="inspector-pane" tabIndex={0} role="group" aria-label={`${TITLES[part.kind]}, whole`}>
        <div ref={content} class="inspector-content">
          <PaneContext.Provider value={pane}>
            <FindContext.Provider value={find.context}>
              {whole.state === "failed" && (
                <p class="notice error" role="alert">
                  <Icon name="alert" />
                  <span>{`The whole of it is not there: ${whole.problem}`}</span>
                  <button type="button" class="button small" onClick={whole.retry}>
                    Try again
                  </button>
                </p>
              )}
              <Detail key={`${id} ${isRaw}`} part={whole.part} isLoading={whole.state === "loading"} isRaw={isRaw} />
            </FindContext.Provider>
          </PaneContext.Provider>
        </div>
      </div>
    </div>
  );
}

const TITLES = { step: "Call", note: "Note", prompt: "Prompt", answer: "Answer" } as const;

const NOTES: Record<NoteEntry["kind"], string> = {
  text: "What the model said",
  thought: "Reasoning",
  permission: "Permission",
  plan: "Plan",
  interrupt: "Interruption",
  compact: "Compaction",
  warning: "Warning",
};

interface HeadProps {
  part: InspectorPart;
  runId: string;
  id: string;
  onFind: () => void;
  onClose: () => void;
}

function Head({ part, runId, id, onFind, onClose }: HeadProps) {
  return (
    <header class="inspector-head">
      <h2 class="inspector-title">
        {part.kind === "step" ? (
          <>
            {part.step.server !== null && (
              <>
                <Recorded text={part.step.server} class="inspector-server" />
                <span class="inspector-into" aria-hidden="true">
                  ›
                </span>
              </>
            )}
            <Recorded text={part.step.tool} class="inspector-tool" />
          </>
        ) : part.kind === "note" ? (
          NOTES[part.note.kind]
        ) : (
          TITLES[part.kind]
        )}
      </h2>
      {part.kind === "step" && <StatusBadge status={part.step.status} />}
      {part.kind === "note" && <span class="soft">{exactTime(part.note.at)}</span>}
      <span class="inspector-actions">
        <button type="button" class="icon-button" aria-label="Find in the detail" title="Find (/)" onClick={onFind}>
          <Icon name="search" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Copy link"
          title="Copy link"
          onClick={() => void copyText(new URL(hrefOf(runPlace(runId, id)), location.href).href, "the link")}
        >
          <Icon name="link" />
        </button>
        <button type="button" class="icon-button" aria-label="Close the detail" title="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </span>
    </header>
  );
}

/** As the address names it. */
function idOf(part: InspectorPart): string {
  if (part.kind === "step") return part.step.id;
  return part.kind === "note" ? `note-${part.note.seq}` : part.kind;
}

interface FindState {
  query: string;
  isOpen: boolean;
  wish: number;
  book: FindBook;
  context: { query: string; book: FindBook };
  open: () => void;
  close: () => void;
  look: (query: string) => void;
}

function useFinding(): FindState {
  const [query, setQuery] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [wish, setWish] = useState(0);
  const [, setChanged] = useState(0);
  const [book] = useState(() => new FindBook(() => setChanged((count) => count + 1)));
  const [context, setContext] = useState({ query, book });
  if (context.query !== query) setContext({ query, book });
  return {
    query,
    isOpen,
    wish,
    book,
    context,
    open: () => {
      setOpen(true);
      setWish((count) => count + 1);
    },
    close: () => {
      setOpen(false);
      setQuery("");
    },
    look: (text) => {
      setQuery(text);
      book.reset();
    },
  };
}

/** Keys that find, while the person is in the detail; false for any other. */
function obeyFind(find: FindState, event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.altKey) return false;
  const isMod = event.ctrlKey || event.metaKey;
  const isTyping = event.target instanceof HTMLInputElement;
  if ((isMod && event.key === "f") || (!isMod && !isTyping && event.key === "/")) find.open();
  else if (!isMod && !isTyping && find.query !== "" && event.key === "n") find.book.move(1);
  else if (!isMod && !isTyping && find.query !== "" && event.key === "N") find.book.move(-1);
  else return false;
  return true;
}
