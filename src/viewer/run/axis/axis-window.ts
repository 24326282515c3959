import { useCallback, useMemo, useState } from "preact/hooks";
import type { AxisScale } from "./axis-scale.ts";

/** Which part of the time axis is shown: kept as moments, so that it stays where it is while the run grows. */

export interface AxisWindow {
  isWhole: boolean;
  /** The part that is shown, in the scale's units. */
  rangeOf(scale: AxisScale): { from: number; to: number };
  /** Shows `factor` times as much around a moment (epoch ms); null: around the middle of what is shown. */
  zoom(scale: AxisScale, factor: number, around: number | null): void;
  /** Moves so that a moment is in sight. */
  include(scale: AxisScale, epochMs: number): void;
  whole(): void;
}

/** Less is not shown, units. */
const LEAST_UNITS = 5;

export function useAxisWindow(): AxisWindow {
  const [shown, setShown] = useState<{ from: number; to: number } | null>(null);

  const rangeOf = useCallback(
    (scale: AxisScale) =>
      shown === null ? { from: 0, to: scale.length } : { from: scale.unitsAt(shown.from), to: scale.unitsAt(shown.to) },
    [shown],
  );
  const show = useCallback((scale: AxisScale, start: number, length: number) => {
    if (length >= scale.length) {
      setShown(null);
      return;
    }
    const from = Math.max(0, Math.min(scale.length - length, start));
    setShown({ from: scale.timeAt(from), to: scale.timeAt(from + length) });
  }, []);

  return useMemo(
    () => ({
      isWhole: shown === null,
      rangeOf,
      zoom(scale, factor, around) {
        const { from, to } = rangeOf(scale);
        const length = Math.max(Math.min(LEAST_UNITS, scale.length), (to - from) * factor);
        const at = around === null ? (from + to) / 2 : scale.unitsAt(around);
        const share = at < from || at > to ? 0.5 : (at - from) / Math.max(to - from, Number.MIN_VALUE);
        show(scale, at - length * share, length);
      },
      include(scale, epochMs) {
        const { from, to } = rangeOf(scale);
        const at = scale.unitsAt(epochMs);
        if (at < from || at > to) show(scale, at - (to - from) / 2, to - from);
      },
      whole: () => setShown(null),
    }),
    [shown, rangeOf, show],
  );
}
