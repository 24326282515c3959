import { FoundText } from "../find/found-text.tsx";

/** What is to be done and how far each is, as an agent's plan tells it: a sign and a word each. */

const CHECK_SIGNS: Record<string, { sign: string; words: string }> = {
  completed: { sign: "☑", words: "done" },
  in_progress: { sign: "▸", words: "under way" },
  pending: { sign: "☐", words: "to do" },
};

export function Checklist({ items }: { items: readonly { text: string; status: string }[] }) {
  return (
    <ul class="checklist">
      {items.slice(0, MOST_ITEMS).map(({ text, status }, index) => {
        const { sign, words } = CHECK_SIGNS[status] ?? { sign: "·", words: status };
        return (
          <li key={index} class={status === "completed" ? "done" : status === "in_progress" ? "current" : ""}>
            <span class="check-sign" aria-hidden="true">
              {sign}
            </span>
            <FoundText text={text} />
            <span class="check-words soft recorded">{words}</span>
          </li>
        );
      })}
      {items.length > MOST_ITEMS && <li class="soft">{`${items.length - MOST_ITEMS} more in the JSON`}</li>}
    </ul>
  );
}

const MOST_ITEMS = 100;
