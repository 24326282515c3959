import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAxisColours } from "./axis-colours.ts";
import { type AxisView, axisAt, axisHeight, unitsUnder } from "./axis-geometry.ts";
import { type AxisModel, spanOf } from "./axis-model.ts";
import { paintAxis } from "./axis-paint.ts";
import type { AxisWindow } from "./axis-window.ts";
import { axisWords } from "./axis-words.ts";

/** The time axis over the list: a canvas whatever the run's length, what it shows also in words, and what is under the pointer. */

export interface TimeAxisProps {
  model: AxisModel;
  window: AxisWindow;
  selected: string | null;
  found: ReadonlySet<string> | null;
  inSight: { from: number; to: number } | null;
  /** Something was clicked. */
  onSelect: (key: string) => void;
  /** Somebody wants to be where something happened, epoch ms. */
  onGoTo: (epochMs: number) => void;
  /** What a part is called. */
  nameOf: (key: string) => string;
}

/** A pointer that moves less has clicked. */
const CLICK_PX = 4;

export function TimeAxis(props: TimeAxisProps) {
  const { model, window: shown, selected, found, inSight, onSelect, onGoTo, nameOf } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [hover, setHover] = useState<{ key: string; x: number } | null>(null);
  const pressed = useRef<{ x: number; isDrag: boolean } | null>(null);
  const colours = useAxisColours();
  const height = axisHeight(model.laneCount);
  const range = shown.rangeOf(model.scale);
  const view: AxisView = { ...range, width, height };

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);

  // What is selected elsewhere comes into sight here.
  useEffect(() => {
    const span = spanOf(model, selected);
    if (span !== null) shown.include(model.scale, span.from);
  }, [selected]);

  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d") ?? null;
    if (element === null || context === null || colours === null || width === 0) return;
    const ratio = Math.min(3, devicePixelRatio || 1);
    const size = [Math.round(width * ratio), Math.round(height * ratio)] as const;
    if (element.width !== size[0] || element.height !== size[1]) [element.width, element.height] = size;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintAxis(context, { model, view, colours, selected, hovered: hover?.key ?? null, found, inSight });
  });

  const words = useMemo(() => axisWords(model), [model]);
  const placeOf = (event: PointerEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  const goTo = (x: number) => onGoTo(model.scale.timeAt(unitsUnder(view, x)));
  return (
    <div class="axis">
      <canvas
        ref={canvas}
        class="axis-canvas"
        role="img"
        aria-label={words}
        style={{ height: `${height}px` }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          pressed.current = { x: placeOf(event).x, isDrag: false };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const { x, y } = placeOf(event);
          const press = pressed.current;
          if (press !== null) {
            if (Math.abs(x - press.x) > CLICK_PX) press.isDrag = true;
            if (press.isDrag) goTo(x);
            return;
          }
          const key = axisAt(model, view, x, y);
          if (key !== hover?.key || key !== null) setHover(key === null ? null : { key, x });
        }}
        onPointerUp={(event) => {
          const press = pressed.current;
          pressed.current = null;
          if (press === null || press.isDrag) return;
          const { x, y } = placeOf(event);
          const key = axisAt(model, view, x, y);
          if (key === null) goTo(x);
          else onSelect(key);
        }}
        onPointerCancel={() => {
          pressed.current = null;
        }}
        onPointerLeave={() => setHover(null)}
      />
      {hover !== null && (
        <div
          class="axis-hover recorded"
          aria-hidden="true"
          style={hover.x < width / 2 ? { left: `${hover.x}px` } : { right: `${width - hover.x}px` }}
        >
          {nameOf(hover.key)}
        </div>
      )}
    </div>
  );
}
