/**
 * Where a list is scrolled to so that a row can be seen. Pure; all in px.
 *
 * `near`: as little as is needed, as for a step from row to row. `jump`: a row that is far off comes to stand well inside,
 * about a third from the top, with room on both sides for what the page around it still does.
 */
export type RevealKind = "near" | "jump";

export interface RevealBox {
  scrollTop: number;
  height: number;
}

export interface RevealRow {
  top: number;
  bottom: number;
}

const MARGIN_PX = 8;
/** A row that ends this near to the edge is in sight, but hardly where somebody looks who has just come. */
const INSIDE_PX = 48;

/** How a row is brought into sight that was asked for: null where it is there already. `isFirst`: nothing was shown before. */
export function revealKind(box: RevealBox, row: RevealRow, isFirst: boolean): RevealKind | null {
  if (isFirst) return isInside(box, row, INSIDE_PX) ? null : "jump";
  if (isInside(box, row, 0)) return null;
  const away = row.top < box.scrollTop ? box.scrollTop - row.bottom : row.top - box.scrollTop - box.height;
  return away > Math.min(INSIDE_PX * 2, box.height / 3) ? "jump" : "near";
}

/** Where the list has to stand for that. */
export function revealTop({ scrollTop, height }: RevealBox, { top, bottom }: RevealRow, kind: RevealKind): number {
  if (kind === "jump") {
    // Of a row that is higher than what is left below a third, more is shown.
    const room = height - (bottom - top) - MARGIN_PX;
    return Math.max(0, top - Math.max(MARGIN_PX, Math.min(height / 3, room)));
  }
  if (top < scrollTop) return Math.max(0, top - MARGIN_PX);
  // Of a row that is higher than the view, its beginning is shown.
  if (bottom > scrollTop + height) return Math.min(top, bottom - height + MARGIN_PX);
  return scrollTop;
}

/** True for a row that is wholly in sight, so far from the lower edge; at least as much of it as there is room for. */
export function isInside({ scrollTop, height }: RevealBox, { top, bottom }: RevealRow, lowerMarginPx: number): boolean {
  const lowest = scrollTop + height - Math.min(lowerMarginPx, height / 6);
  return top >= scrollTop && (bottom <= lowest || (bottom - top > height && top - scrollTop < height / 3));
}
