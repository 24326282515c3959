import type { AxisModel } from "./axis-model.ts";

/** Where on the time axis something stands: its measures, and what is at a place. Pure. */

export interface AxisView {
  /** Part of the axis that is shown, in its units. */
  from: number;
  to: number;
  /** Of the canvas, CSS px. */
  width: number;
  height: number;
}

export const LABELS_PX = 18;
export const MARKS_PX = 11;
const BOTTOM_PX = 5;
export const LEAST_BAR_PX = 2;

/** Height of one lane, CSS px: fewer lanes are taller. */
export function laneHeight(laneCount: number): number {
  return Math.max(5, Math.min(14, Math.floor(66 / laneCount)));
}

/** Height of the whole axis, CSS px. */
export function axisHeight(laneCount: number): number {
  return LABELS_PX + MARKS_PX + laneCount * laneHeight(laneCount) + BOTTOM_PX;
}

/** What is drawn at a place: a bar, or a tick; null where there is nothing near. */
export function axisAt(model: AxisModel, view: AxisView, px: number, py: number): string | null {
  const x = placing(model, view);
  const near = 4;
  let found: string | null = null;
  let nearest = near + 1;
  if (py < LABELS_PX + MARKS_PX) {
    for (const { key, from } of model.ticks) {
      const away = Math.abs(x(from) - px);
      if (away < nearest) [found, nearest] = [key, away];
    }
  }
  const lane = Math.floor((py - LABELS_PX - MARKS_PX) / laneHeight(model.laneCount));
  for (const { key, from, to, lane: of, status } of model.bars) {
    const isMarkAbove = py < LABELS_PX + MARKS_PX && status !== "ok";
    if (of !== lane && !isMarkAbove) continue;
    const left = x(from);
    const right = Math.max(left + LEAST_BAR_PX, isMarkAbove ? left : x(to));
    const away = px < left ? left - px : px > right ? px - right : 0;
    if (away < nearest || (away === nearest && away === 0)) [found, nearest] = [key, away];
  }
  return found;
}

export type Placing = (epochMs: number) => number;

/** From moments (epoch ms) to places on the canvas, CSS px. */
export function placing({ scale }: AxisModel, { from, to, width }: AxisView): Placing {
  const perUnit = (width - 16) / Math.max(to - from, Number.MIN_VALUE);
  return (epochMs) => 8 + (scale.unitsAt(epochMs) - from) * perUnit;
}

/** The place on the axis under a place on the canvas, in units. */
export function unitsUnder({ from, to, width }: AxisView, px: number): number {
  return from + ((px - 8) / Math.max(1, width - 16)) * (to - from);
}
