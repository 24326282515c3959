import { span } from "../../../core/text/when.ts";
import type { AxisColours } from "./axis-colours.ts";
import {
  type AxisView,
  LABELS_PX,
  LEAST_BAR_PX,
  laneHeight,
  MARKS_PX,
  type Placing,
  placing,
} from "./axis-geometry.ts";
import type { AxisBar, AxisModel, AxisTick } from "./axis-model.ts";
import { axisMarks, sinceStart } from "./axis-scale.ts";

/** Draws the time axis. Knows nothing of the page around it. */

export interface AxisPaint {
  model: AxisModel;
  view: AxisView;
  colours: AxisColours;
  selected: string | null;
  hovered: string | null;
  /** Keys that the filter found; null where there is no filter. */
  found: ReadonlySet<string> | null;
  /** What the list has in sight, epoch ms. */
  inSight: { from: number; to: number } | null;
}

const LABEL_GAP_PX = 90;
const CROSS_GAP_PX = 7;

export function paintAxis(context: CanvasRenderingContext2D, paint: AxisPaint): void {
  const { model, view, colours } = paint;
  const { width, height } = view;
  const x = placing(model, view);
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.ground;
  context.fillRect(0, LABELS_PX, width, height - LABELS_PX);
  paintInSight(context, paint, x);
  paintIdles(context, paint, x);
  paintLabels(context, paint);
  const lane = laneHeight(model.laneCount);
  // What went wrong and what was slow is drawn over the rest.
  const late: AxisBar[] = [];
  // Bars that would be drawn over each other on the same pixels are drawn once.
  const drawnTo = new Float64Array(model.laneCount).fill(Number.NEGATIVE_INFINITY);
  for (const bar of model.bars) {
    if (bar.status === "ok" && !bar.isSlow && bar.key !== paint.selected && bar.key !== paint.hovered) {
      const left = x(bar.from);
      const right = Math.max(left + LEAST_BAR_PX, x(bar.to));
      if (right < 0 || left > width || right <= (drawnTo[bar.lane] ?? 0)) continue;
      drawnTo[bar.lane] = right;
      paintBar(context, paint, bar, left, right, lane);
    } else late.push(bar);
  }
  let crossedAt = Number.NEGATIVE_INFINITY;
  for (const bar of late) {
    const left = x(bar.from);
    const right = Math.max(left + LEAST_BAR_PX, x(bar.to));
    if (right < 0 || left > width) continue;
    paintBar(context, paint, bar, left, right, lane);
    if (bar.status !== "error" || left < crossedAt + CROSS_GAP_PX) continue;
    // A cross above what failed, for who sees no red; side by side they would be one blot.
    crossedAt = left;
    context.globalAlpha = alphaOf(paint, bar.key);
    cross(context, colours.error, left + Math.min(right - left, 6) / 2, LABELS_PX + MARKS_PX / 2);
    context.globalAlpha = 1;
  }
  for (const tick of model.ticks) paintTick(context, paint, tick, x(tick.from));
  paintSelected(context, paint, x, lane);
}

function paintInSight(context: CanvasRenderingContext2D, { inSight, view, colours }: AxisPaint, x: Placing): void {
  if (inSight === null) return;
  const left = Math.max(0, x(inSight.from) - 2);
  const right = Math.min(view.width, Math.max(x(inSight.to), x(inSight.from) + 4) + 2);
  context.fillStyle = colours.surface;
  context.fillRect(left, LABELS_PX, right - left, view.height - LABELS_PX);
  context.fillStyle = colours.accent;
  context.fillRect(left, view.height - 2, right - left, 2);
}

function paintIdles(context: CanvasRenderingContext2D, { model, view, colours }: AxisPaint, x: Placing): void {
  context.strokeStyle = colours.strong;
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  for (const { from, to } of model.scale.idles) {
    const middle = Math.round((x(from) + x(to)) / 2) + 0.5;
    if (middle < 0 || middle > view.width) continue;
    for (const at of [middle - 2, middle + 2]) {
      context.beginPath();
      context.moveTo(at, LABELS_PX + 1);
      context.lineTo(at, view.height);
      context.stroke();
    }
  }
  context.setLineDash([]);
}

function paintLabels(context: CanvasRenderingContext2D, { model, view, colours }: AxisPaint): void {
  const { scale } = model;
  const perUnit = (view.width - 16) / Math.max(view.to - view.from, Number.MIN_VALUE);
  const count = Math.max(2, Math.floor(view.width / LABEL_GAP_PX));
  context.font = "11px ui-sans-serif, system-ui, sans-serif";
  context.textBaseline = "middle";
  const taken: { left: number; right: number }[] = [];
  const write = (text: string, middle: number, colour: string) => {
    const width = context.measureText(text).width;
    const left = Math.max(1, Math.min(view.width - width - 1, middle - width / 2));
    if (taken.some((other) => left < other.right + 8 && left + width > other.left - 8)) return false;
    taken.push({ left, right: left + width });
    context.fillStyle = colour;
    context.fillText(text, left, LABELS_PX / 2);
    return true;
  };
  for (const { from, to } of scale.idles) {
    const middle = 8 + ((scale.unitsAt(from) + scale.unitsAt(to)) / 2 - view.from) * perUnit;
    if (middle > 0 && middle < view.width) write(`⋯ ${span(to - from)} idle ⋯`, middle, colours.text);
  }
  for (const { units, sinceStartMs } of axisMarks(scale, view.from, view.to, count)) {
    const middle = 8 + (units - view.from) * perUnit;
    if (!write(sinceStart(sinceStartMs), middle, colours.text)) continue;
    context.fillStyle = colours.line;
    context.fillRect(Math.round(middle), LABELS_PX, 1, view.height - LABELS_PX);
  }
}

function paintBar(
  context: CanvasRenderingContext2D,
  paint: AxisPaint,
  { key, lane, status, isSlow, agent }: AxisBar,
  left: number,
  right: number,
  height: number,
): void {
  const { colours, hovered } = paint;
  const top = LABELS_PX + MARKS_PX + lane * height;
  const tall = height - 1;
  const width = right - left;
  context.globalAlpha = alphaOf(paint, key);
  const agentColour = agent % 2 === 1 ? colours.agentOdd : colours.agentEven;
  const colour = { error: colours.error, running: colours.running, ok: agent === 0 ? colours.bar : agentColour }[
    status as "ok"
  ];
  if (colour === undefined) {
    // Denied, cancelled, lost: an empty frame.
    context.strokeStyle = colours.warn;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + 0.5, Math.max(2, width - 1), tall - 1);
  } else {
    context.fillStyle = colour;
    context.fillRect(left, top, width, tall);
  }
  if (isSlow && width > 4) hatch(context, colours.ground, left, top, width, tall);
  if (key === hovered) {
    context.strokeStyle = colours.accent;
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, top - 0.5, width + 1, tall + 1);
  }
  context.globalAlpha = 1;
}

/** What the filter did not find steps back. */
function alphaOf({ found }: AxisPaint, key: string): number {
  return found === null || found.has(key) ? 1 : 0.2;
}

function hatch(
  context: CanvasRenderingContext2D,
  colour: string,
  left: number,
  top: number,
  width: number,
  height: number,
): void {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  // No more lines than a canvas is wide, however long the bar.
  const from = Math.max(left, -height);
  const to = Math.min(left + width, from + 4096);
  for (let at = from - height; at < to; at += 5) {
    context.moveTo(at, top + height);
    context.lineTo(at + height, top);
  }
  context.stroke();
  context.restore();
}

function cross(context: CanvasRenderingContext2D, colour: string, x: number, y: number): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.6;
  context.beginPath();
  context.moveTo(x - 3, y - 3);
  context.lineTo(x + 3, y + 3);
  context.moveTo(x + 3, y - 3);
  context.lineTo(x - 3, y + 3);
  context.stroke();
}

function paintTick(context: CanvasRenderingContext2D, paint: AxisPaint, tick: AxisTick, x: number): void {
  const { colours, view } = paint;
  if (x < -6 || x > view.width + 6) return;
  const y = LABELS_PX + MARKS_PX / 2;
  context.globalAlpha = alphaOf(paint, tick.key);
  context.lineWidth = 1.4;
  switch (tick.kind) {
    case "interrupt":
      context.strokeStyle = colours.warn;
      context.beginPath();
      context.arc(x, y, 3.6, 0, 2 * Math.PI);
      context.moveTo(x - 2.6, y - 2.6);
      context.lineTo(x + 2.6, y + 2.6);
      context.stroke();
      break;
    case "gap":
    case "warning":
      context.fillStyle = colours.warn;
      context.beginPath();
      context.moveTo(x, y - 4);
      context.lineTo(x + 4, y + 3.5);
      context.lineTo(x - 4, y + 3.5);
      context.fill();
      break;
    case "permission":
    case "compact":
    case "plan":
      context.strokeStyle = colours.text;
      context.strokeRect(x - 2.5, y - 2.5, 5, 5);
      break;
    default:
      context.fillStyle = colours.strong;
      context.fillRect(Math.round(x), y - 2.5, 1, 5);
  }
  context.globalAlpha = 1;
}

function paintSelected(context: CanvasRenderingContext2D, paint: AxisPaint, x: Placing, height: number): void {
  const { selected, model, colours, view } = paint;
  if (selected === null) return;
  const bar = model.bars.find(({ key }) => key === selected);
  const at = bar?.from ?? model.ticks.find(({ key }) => key === selected)?.from;
  if (at === undefined) return;
  const left = x(at);
  context.fillStyle = colours.accent;
  context.fillRect(Math.round(left) - 1, LABELS_PX, 1, view.height - LABELS_PX);
  if (bar === undefined) return;
  const top = LABELS_PX + MARKS_PX + bar.lane * height;
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  context.strokeRect(left - 1, top - 1, Math.max(LEAST_BAR_PX, x(bar.to) - left) + 2, height + 1);
}
