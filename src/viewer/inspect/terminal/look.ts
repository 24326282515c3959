import { type Look, PLAIN, type TerminalColor } from "./sgr.ts";

/**
 * A terminal's colours made readable on the page's own surfaces: the hue stays, the lightness moves until the text has the
 * contrast of WCAG AA (4.5 : 1) in the light and in the dark theme. Pure.
 */

type Rgb = readonly [number, number, number];

/** What terminal output stands on: `--surface-sunken` of the two themes. */
export const TERMINAL_SURFACES: { light: Rgb; dark: Rgb } = { light: [239, 238, 235], dark: [14, 15, 17] };

const CONTRAST = 4.6;

const BASIC: readonly Rgb[] = [
  [0, 0, 0],
  [205, 49, 49],
  [13, 150, 80],
  [180, 130, 0],
  [36, 114, 200],
  [188, 63, 188],
  [17, 140, 170],
  [200, 200, 200],
  [102, 102, 102],
  [241, 76, 76],
  [35, 209, 139],
  [220, 200, 40],
  [59, 142, 234],
  [214, 112, 214],
  [41, 184, 219],
  [255, 255, 255],
];

const styles = new Map<string, Record<string, string>>();

/** Colours for an element's `style`; undefined where it has none. */
export function lookStyle(look: Look): Record<string, string> | undefined {
  const { foreground, background } = look.isInverse
    ? { foreground: look.background, background: look.foreground }
    : look;
  // Without colours, inverse text is a matter of classes.
  if (foreground === null && background === null) return undefined;
  const key = JSON.stringify([foreground, background]);
  let style = styles.get(key);
  if (style === undefined) {
    style = styleOf(foreground, background);
    if (styles.size > 2000) styles.clear();
    styles.set(key, style);
  }
  return style;
}

export function lookClasses(look: Look): string {
  if (look === PLAIN) return "";
  const names: string[] = [];
  if (look.isBold) names.push("bold");
  if (look.isFaint) names.push("faint");
  if (look.isItalic) names.push("italic");
  if (look.isUnderlined) names.push("underlined");
  if (look.isStruck) names.push("struck");
  if (look.isHidden) names.push("hidden-text");
  if (look.isInverse && look.foreground === null && look.background === null) names.push("inverse");
  return names.join(" ");
}

function styleOf(foreground: TerminalColor | null, background: TerminalColor | null): Record<string, string> {
  if (background === null) {
    const wanted = rgbOf(foreground ?? 7);
    const light = readable(wanted, TERMINAL_SURFACES.light);
    const dark = readable(wanted, TERMINAL_SURFACES.dark);
    return { color: `light-dark(${css(light)}, ${css(dark)})` };
  }
  const ground = rgbOf(background);
  const wanted = foreground === null ? (luminance(ground) > 0.18 ? BLACK : WHITE) : rgbOf(foreground);
  return { color: css(readable(wanted, ground)), "background-color": css(ground) };
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** The colour nearest to a wanted one that can be read on a ground: mixed with black or white as far as needed. */
export function readable(wanted: Rgb, ground: Rgb): Rgb {
  if (contrast(wanted, ground) >= CONTRAST) return wanted;
  const toward = contrast(BLACK, ground) >= contrast(WHITE, ground) ? BLACK : WHITE;
  for (let part = 0.1; part < 1; part += 0.1) {
    const mixed = mix(wanted, toward, part);
    if (contrast(mixed, ground) >= CONTRAST) return mixed;
  }
  return toward;
}

export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

/** WCAG's relative luminance. */
function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function mix(from: Rgb, to: Rgb, part: number): Rgb {
  const one = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * part);
  return [one(0), one(1), one(2)];
}

/** xterm's palette: 16 colours, a cube of 216, and 24 greys. */
function rgbOf(color: TerminalColor): Rgb {
  if (typeof color !== "number") return color;
  const basic = BASIC[color];
  if (basic !== undefined) return basic;
  if (color >= 232) {
    const grey = 8 + (color - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const index = color - 16;
  return [level(Math.floor(index / 36)), level(Math.floor(index / 6) % 6), level(index % 6)];
}

function css([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}
