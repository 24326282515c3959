import { signal } from "@preact/signals";

/** What screen readers are told that happens without moving the focus: new runs, how many were found, where one is now. */

const said = signal<{ text: string; count: number }>({ text: "", count: 0 });

/** Says it once what is being said is done. */
export function announce(text: string): void {
  said.value = { text, count: said.value.count + 1 };
}

/** The region that is read out; there from the beginning, or nothing in it would be. */
export function Announcer() {
  // The same words twice are read twice only if the text differs.
  const { text, count } = said.value;
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {count % 2 === 0 ? text : `${text}\u00a0`}
    </div>
  );
}
