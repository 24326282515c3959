/** Colours for a terminal, or none. Colour only repeats what the words beside it say. */

export interface Paint {
  bold: (text: string) => string;
  dim: (text: string) => string;
  good: (text: string) => string;
  bad: (text: string) => string;
  warn: (text: string) => string;
  mark: (text: string) => string;
}

export function paintFor(color: boolean): Paint {
  const style = (on: number, off: number) => (text: string) =>
    color && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    good: style(32, 39),
    bad: style(31, 39),
    warn: style(33, 39),
    mark: style(7, 27),
  };
}
