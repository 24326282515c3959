/** The few signs of the page, drawn with lines on a grid of 16. Never the only thing that tells something. */

const PATHS = {
  alert: "M8 2.2 14.5 13.5H1.5ZM8 6.5v3.2M8 11.6v.1",
  arrowUp: "M8 13V3M3.8 7.2 8 3l4.2 4.2",
  back: "M13 8H3M7.2 3.8 3 8l4.2 4.2",
  ban: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM3.8 3.8l8.4 8.4",
  check: "M3 8.5 6.5 12 13 4.5",
  chevronDown: "M3.5 6 8 10.5 12.5 6",
  chevronRight: "M6 3.5 10.5 8 6 12.5",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 4.8V8l2.4 1.6",
  close: "M4 4l8 8M12 4l-8 8",
  columns: "M2.5 3h11v10h-11ZM8 3v10",
  copy: "M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3",
  cross: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  dots: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  download: "M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
  folder: "M2 4h4.2l1.4 1.6H14v7H2Z",
  help: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM6.2 6.4a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.7.5-.7 1M8 11.4v.1",
  link: "M6.6 9.4a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.4 6.6a2.6 2.6 0 0 0-3.7 0L3.5 8.8a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
  lost: "M3 8h.1M6.3 8h.1M9.7 8h.1M13 8h.1",
  moon: "M13 9.6A5.4 5.4 0 1 1 6.4 3 4.4 4.4 0 0 0 13 9.6Z",
  play: "M5.5 3.5v9l7-4.5Z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.4 10.4l3.3 3.3",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6ZM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  system: "M2 3.5h12v7.5H2ZM6 13.5h4M8 11v2.5",
  trash: "M2.8 4.2h10.4M6.2 4.2V2.6h3.6v1.6M4.2 4.2l.6 9.2h6.4l.6-9.2M6.8 6.8v4M9.2 6.8v4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
