/** A plan as lines that a person reads, where it was recorded as JSON: `✓ done`, `▸ under way`, `○ to do`. Pure. */

const SIGNS: Record<string, string> = { completed: "✓", done: "✓", in_progress: "▸", cancelled: "⊘" };
const MOST_LINES = 40;

/** The plan's entries, one a line; the text as it is where no entries can be made out. */
export function planLines(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const entries = entriesOf(value);
  if (entries === null) return text;
  const lines = entries.slice(0, MOST_LINES).map((entry) => {
    const { content, title, step, status } = entry as Record<string, unknown>;
    const words = [content, title, step].find((each) => typeof each === "string") ?? JSON.stringify(entry);
    return `${(typeof status === "string" && Object.hasOwn(SIGNS, status) && SIGNS[status]) || "○"} ${words}`;
  });
  return lines.join("\n");
}

function entriesOf(value: unknown): object[] | null {
  const list = Array.isArray(value) ? value : Object.values(value ?? {}).find(Array.isArray);
  if (!Array.isArray(list) || list.length === 0) return null;
  return list.every((entry) => typeof entry === "object" && entry !== null) ? list : null;
}
