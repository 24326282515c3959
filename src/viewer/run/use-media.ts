import { useEffect, useState } from "preact/hooks";

/** There is room for the detail beside the list; the same width is in run.css. */
export const WIDE = "(min-width: 60rem)";

/** Whether a media query holds, as that changes. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const read = () => setHolds(list.matches);
    read();
    list.addEventListener("change", read);
    return () => list.removeEventListener("change", read);
  }, [query]);
  return holds;
}
