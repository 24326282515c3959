/** Lines of `bir status`: what they are about, and what there is to say of it. */

/** As wide as the longest label and two more. */
const LABEL_COLUMNS = 16;

/** A line with its label; without one (`""`) it goes on with what the line before is about. */
export function statusLine(label: string, text: string): string {
  return label.padEnd(LABEL_COLUMNS) + text;
}
