/**
 * The ways in which a string may be written in a configuration. Which one it was is kept in place of the string itself.
 * Pure.
 */

const STYLES = {
  json: (value: string) => JSON.stringify(value),
  "json-slash": (value: string) => JSON.stringify(value).replaceAll("/", "\\/"),
  "json-ascii": (value: string) => escaped(JSON.stringify(value), false),
  "json-ascii-upper": (value: string) => escaped(JSON.stringify(value), true),
  "json-ascii-slash": (value: string) => escaped(JSON.stringify(value), false).replaceAll("/", "\\/"),
  plain: (value: string) => value,
  single: (value: string) => `'${value.replaceAll("'", "''")}'`,
  "single-raw": (value: string) => `'${value}'`,
  double: (value: string) => `"${value}"`,
  "triple-single": (value: string) => `'''${value}'''`,
  "triple-double": (value: string) => `"""${value}"""`,
  "triple-single-line": (value: string) => `'''\n${value}'''`,
  "triple-double-line": (value: string) => `"""\n${value}"""`,
} as const satisfies Record<string, (value: string) => string>;

export type LiteralStyle = keyof typeof STYLES;

/** The style in which `value` is written as `literal`; null when none of them gives it. */
export function styleOf(value: string, literal: string): LiteralStyle | null {
  for (const [style, write] of Object.entries(STYLES)) {
    if (write(value) === literal) return style as LiteralStyle;
  }
  return null;
}

export function writeLiteral(style: LiteralStyle, value: string): string {
  return STYLES[style](value);
}

export function isLiteralStyle(text: unknown): text is LiteralStyle {
  return typeof text === "string" && Object.hasOwn(STYLES, text);
}

function escaped(literal: string, upper: boolean): string {
  return literal.replace(/[\u007f-\uffff]/g, (unit) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${upper ? digits.toUpperCase() : digits}`;
  });
}
