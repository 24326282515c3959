/** How a terminal's text looks, as its SGR sequences (ECMA-48 8.3.117, xterm's colours) tell. Pure. */

/** A colour of the palette (0–255), or red, green and blue (0–255 each). */
export type TerminalColor = number | readonly [number, number, number];

export interface Look {
  foreground: TerminalColor | null;
  background: TerminalColor | null;
  isBold: boolean;
  isFaint: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
  isInverse: boolean;
  isStruck: boolean;
  /** Asked to be unreadable: shown all the same. */
  isHidden: boolean;
}

export const PLAIN: Look = {
  foreground: null,
  background: null,
  isBold: false,
  isFaint: false,
  isItalic: false,
  isUnderlined: false,
  isInverse: false,
  isStruck: false,
  isHidden: false,
};

const CHANGES: Record<number, Partial<Look>> = {
  1: { isBold: true },
  2: { isFaint: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  8: { isHidden: true },
  9: { isStruck: true },
  21: { isUnderlined: true },
  22: { isBold: false, isFaint: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  28: { isHidden: false },
  29: { isStruck: false },
  39: { foreground: null },
  49: { background: null },
};

/** The look after `CSI parameters m`; what is not known changes nothing. */
export function lookAfter(before: Look, parameters: string): Look {
  let look = before;
  const groups = parameters.split(";").map((group) => group.split(":"));
  for (let at = 0; at < groups.length; at++) {
    const [code = "", ...details] = groups[at] ?? [];
    const number = code === "" ? 0 : Number(code);
    if (number === 0) look = PLAIN;
    else if (number === 38 || number === 48) {
      let color: TerminalColor | null;
      if (details.length > 0) color = colonColor(details);
      else {
        const kind = numberOf(groups[at + 1]);
        color = colorOf(kind, [groups[at + 2], groups[at + 3], groups[at + 4]].map(numberOf));
        at += kind === 5 ? 2 : kind === 2 ? 4 : 1;
      }
      if (color !== null) look = { ...look, [number === 38 ? "foreground" : "background"]: color };
    } else if (number === 4 && details[0] === "0") look = { ...look, isUnderlined: false };
    else look = { ...look, ...(plainColor(number) ?? CHANGES[number]) };
  }
  return look;
}

function plainColor(code: number): Partial<Look> | null {
  if (code >= 30 && code <= 37) return { foreground: code - 30 };
  if (code >= 90 && code <= 97) return { foreground: code - 82 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  if (code >= 100 && code <= 107) return { background: code - 92 };
  return null;
}

/** `38:5:N`, `38:2:R:G:B`, `38:2:SPACE:R:G:B`. */
function colonColor(details: readonly string[]): TerminalColor | null {
  const numbers = details.map(Number);
  const kind = numbers[0] ?? 0;
  return colorOf(kind, kind === 2 && numbers.length > 4 ? numbers.slice(2, 5) : numbers.slice(1, 4));
}

function colorOf(kind: number, numbers: readonly number[]): TerminalColor | null {
  const [first = 0, second = 0, third = 0] = numbers;
  const isByte = (value: number) => Number.isInteger(value) && value >= 0 && value <= 255;
  if (kind === 5) return isByte(first) ? first : null;
  if (kind === 2) return [first, second, third].every(isByte) ? [first, second, third] : null;
  return null;
}

function numberOf(group: readonly string[] | undefined): number {
  return Number(group?.[0] ?? 0);
}
