import { firstLine } from "../../ui/visible.ts";

/** What a part is called for screen readers: its recorded title, made safe and short. Pure. */
export function partLabel(title: string | undefined, otherwise: string): string {
  const line = title === undefined ? "" : firstLine(title, 60);
  return line === "" ? otherwise : line;
}
