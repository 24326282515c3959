import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { WIDE } from "../use-media.ts";

/** The detail beside the list (or over it, where there is no room), and the divider that says how wide it is. */

export interface DetailPaneProps {
  label: string;
  children: ComponentChildren;
}

/** Part of the width, percent. */
const LEAST = 25;
const MOST = 75;
const FIRST = 45;
const KEY_STEP = 4;
const STORED = "bir.run.detail";

export function DetailPane({ label, children }: DetailPaneProps) {
  const pane = useRef<HTMLDivElement>(null);
  const [share, setShare] = useState(storedShare);
  const isDragged = useRef(false);
  const body = useRef<HTMLElement>(null);
  useEffect(() => store(share), [share]);
  // Over the list it takes the keyboard along.
  useEffect(() => {
    if (!matchMedia(WIDE).matches) body.current?.focus();
  }, []);
  const set = (value: number) => setShare(Math.round(Math.max(LEAST, Math.min(MOST, value))));
  return (
    <div class="detail" ref={pane} style={{ "--detail-share": `${share}%` }}>
      <div
        class="detail-divider"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the detail"
        aria-valuenow={share}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        tabIndex={0}
        onKeyDown={(event) => {
          const change = { ArrowLeft: KEY_STEP, ArrowRight: -KEY_STEP }[event.key];
          if (change !== undefined) set(share + change);
          else if (event.key === "Home") set(MOST);
          else if (event.key === "End") set(LEAST);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        onPointerDown={(event) => {
          isDragged.current = true;
          event.currentTarget.setPointerCapture(event.pointerId);
          event.preventDefault();
        }}
        onPointerMove={(event) => {
          const box = pane.current?.parentElement?.getBoundingClientRect();
          if (!isDragged.current || box === undefined) return;
          set(((box.right - event.clientX) / box.width) * 100);
        }}
        onPointerUp={() => {
          isDragged.current = false;
        }}
        onDblClick={() => set(FIRST)}
      />
      <section class="detail-body" ref={body} tabIndex={-1} aria-label={label}>
        {children}
      </section>
    </div>
  );
}

function storedShare(): number {
  try {
    const stored = Number(localStorage.getItem(STORED));
    return stored >= LEAST && stored <= MOST ? stored : FIRST;
  } catch {
    return FIRST;
  }
}

function store(share: number): void {
  try {
    localStorage.setItem(STORED, String(share));
  } catch {
    // For as long as the page is open.
  }
}
