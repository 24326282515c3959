import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Story } from "../../../core/story.ts";
import { now } from "../../ui/time.ts";
import { axisModel } from "./axis-model.ts";
import type { AxisWindow } from "./axis-window.ts";
import { TimeAxis } from "./time-axis.tsx";

/** The time axis of a story: laid out anew when the story has grown, and each second while something runs. */

export interface AxisPanelProps {
  story: Story;
  slowMs: number;
  /** What runs goes on to the present moment. */
  isRunning: boolean;
  window: AxisWindow;
  selected: string | null;
  found: ReadonlySet<string> | null;
  inSight: Signal<{ from: number; to: number } | null>;
  onSelect: (key: string) => void;
  onGoTo: (epochMs: number) => void;
  nameOf: (key: string) => string;
  modelOut: { current: ReturnType<typeof axisModel> | null };
}

export function AxisPanel(props: AxisPanelProps) {
  const { story, slowMs, isRunning, inSight, modelOut, ...rest } = props;
  const tick = isRunning ? now.value : 0;
  const model = useMemo(() => axisModel(story, isRunning ? Date.now() : 0, slowMs), [story, slowMs, tick, isRunning]);
  modelOut.current = model;
  return <TimeAxis model={model} inSight={inSight.value} {...rest} />;
}
