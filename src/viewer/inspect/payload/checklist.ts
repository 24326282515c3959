import { isObject, textOf } from "../json/value.ts";

/** A list of what is to be done and how far each is, as TodoWrite and update_plan tell it; null for anything else. Pure. */
export function checklistOf(value: unknown): { text: string; status: string }[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const items = value.map((item: unknown) => {
    if (!isObject(item)) return null;
    const text = textOf(item, "content") ?? textOf(item, "step") ?? textOf(item, "title") ?? textOf(item, "subject");
    const status = textOf(item, "status");
    return text === null || status === null ? null : { text, status };
  });
  return items.every((item) => item !== null) ? items : null;
}
