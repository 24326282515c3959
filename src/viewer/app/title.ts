import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { visibleText } from "../ui/visible.ts";

/** The title of the document: what is looked at, then the name of the page. Views say the first. */

const NAME = "bir";
const titles = signal<readonly { text: string }[]>([]);

/** What the view shows, in a few words; null while it is not known. */
export function useTitle(text: string | null): void {
  useEffect(() => {
    if (text === null) return;
    const title = { text };
    titles.value = [...titles.value, title];
    show();
    return () => {
      titles.value = titles.value.filter((other) => other !== title);
      show();
    };
  }, [text]);
}

function show(): void {
  const text = titles.value.at(-1)?.text;
  document.title = text === undefined ? NAME : `${visibleText(text.slice(0, 120))} · ${NAME}`;
}
