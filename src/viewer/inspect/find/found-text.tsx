import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import { SpanText } from "../text/span-text.tsx";
import { useFind } from "./find.ts";
import { type Mark, marksIn } from "./find-text.ts";

/** A short recorded text in which words can be found. */
export function FoundText({ text, class: name }: { text: string; class?: string }) {
  const element = useRef<HTMLSpanElement>(null);
  const { hits, hit } = useFind<Mark>(
    element,
    useCallback((needle: string) => marksIn(text, needle, 100), [text]),
  );
  useLayoutEffect(() => {
    if (hit !== null) element.current?.scrollIntoView({ block: "nearest" });
  }, [hit]);
  return (
    <span ref={element} class={`recorded ${name ?? ""}`}>
      <SpanText text={text} marks={hits} current={hit === null ? null : hits.indexOf(hit)} />
    </span>
  );
}
