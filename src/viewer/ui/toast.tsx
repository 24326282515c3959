import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/**
 * Short messages at the edge of the page, read out by screen readers; some can be answered (`Undo`). They stay while
 * somebody points at them or is in them.
 */

export interface Toast {
  text: string;
  kind?: "plain" | "error";
  /** `until`: when it can be done no more, epoch ms. */
  action?: { label: string; run: () => void; until?: number };
  /** How long it stays, ms. */
  lastsMs?: number;
}

interface Shown extends Toast {
  id: number;
}

const shown = signal<readonly Shown[]>([]);
const MOST = 4;
let lastId = 0;

/** Shows a message; the returned function takes it away. */
export function toast(message: Toast): () => void {
  lastId += 1;
  const id = lastId;
  shown.value = [...shown.value.slice(1 - MOST), { ...message, id }];
  return () => dismiss(id);
}

function dismiss(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id);
}

/** What reads it out stands apart, so that it is there before anything is said. */
export function Toasts() {
  return (
    <section class="toasts" aria-label="Messages" aria-live="polite" aria-relevant="additions">
      {shown.value.map((one) => (
        <ToastCard key={one.id} toast={one} />
      ))}
    </section>
  );
}

function ToastCard({ toast: { id, text, kind, action, lastsMs = 6000 } }: { toast: Shown }) {
  const [isHeld, setHeld] = useState(false);
  const left = useRef(lastsMs);
  useEffect(() => {
    if (isHeld) return;
    const from = Date.now();
    const timer = setTimeout(() => dismiss(id), left.current);
    return () => {
      clearTimeout(timer);
      left.current = Math.max(1500, left.current - (Date.now() - from));
    };
  }, [id, isHeld]);
  const canAct = useUntil(action?.until);
  const hold = { onPointerEnter: () => setHeld(true), onFocusIn: () => setHeld(true) };
  const release = { onPointerLeave: () => setHeld(false), onFocusOut: () => setHeld(false) };
  return (
    <div class={`toast${kind === "error" ? " error" : ""}`} {...hold} {...release}>
      {kind === "error" && <Icon name="alert" />}
      <span class="toast-text">{text}</span>
      {action !== undefined && canAct && (
        <button
          type="button"
          class="button"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** True until a moment (epoch ms); where there is none, always. */
function useUntil(until: number | undefined): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (until === undefined) return;
    const timer = setTimeout(() => setOver(true), until - Date.now());
    return () => clearTimeout(timer);
  }, [until]);
  return !isOver;
}
