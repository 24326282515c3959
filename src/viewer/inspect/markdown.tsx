import type { ComponentChildren } from "preact";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { visibleText } from "../ui/visible.ts";
import { useFind } from "./find/find.ts";
import { marksIn } from "./find/find-text.ts";
import { type Block, parseBlocks } from "./markdown/blocks.ts";
import { type Inline, safeHref } from "./markdown/inline.ts";
import { pagesOf } from "./markdown/pages.ts";
import { lineArray, textLines } from "./text/line-source.ts";
import { LinesView } from "./text/lines-view.tsx";
import { SpanText } from "./text/span-text.tsx";

/**
 * Markdown as recorded text: nothing is loaded, HTML is text, an image is told and not shown, and a link shows where it
 * leads. Very long text comes in pages.
 */

export interface MarkdownProps {
  text: string;
  /** Level of its headings, all of them: a recorded text does not shape the outline of the page. */
  headingLevel?: number;
}

/** Longer code folds and scrolls by itself. */
const LONG_CODE_LINES = 30;

/** A place where the words are: the page, the text on it, and which mark in it. */
interface Hit {
  page: number;
  text: object;
  mark: number;
}

export function Markdown({ text, headingLevel = 2 }: MarkdownProps) {
  const pages = useMemo(() => pagesOf(parseBlocks(text)), [text]);
  const [chosen, setChosen] = useState(0);
  const element = useRef<HTMLDivElement>(null);
  const { needle, hit } = useFind<Hit>(
    element,
    useCallback((wanted: string) => hitsIn(pages, wanted), [pages]),
  );
  useLayoutEffect(() => {
    if (hit === null) return;
    setChosen(hit.page);
    element.current?.querySelector("mark.here")?.scrollIntoView({ block: "nearest" });
  }, [hit, chosen]);
  const page = Math.min(chosen, pages.length - 1);
  const view = { needle, hit, level: headingLevel - 1 };
  return (
    <div ref={element} class="markdown">
      {(pages[page] ?? []).map((block, index) => (
        <BlockView key={index} block={block} view={view} />
      ))}
      {pages.length > 1 && (
        <nav class="pager" aria-label="Pages of the text">
          <button type="button" class="button small" disabled={page === 0} onClick={() => setChosen(page - 1)}>
            Previous
          </button>
          <span class="soft">{`Part ${page + 1} of ${pages.length}`}</span>
          <button
            type="button"
            class="button small"
            disabled={page === pages.length - 1}
            onClick={() => setChosen(page + 1)}
          >
            Next
          </button>
        </nav>
      )}
    </div>
  );
}

interface View {
  needle: string | null;
  hit: Hit | null;
  /** Of the heading before; a heading is at most one level below it, so that the page's outline has no holes. */
  level: number;
}

function BlockView({ block, view }: { block: Block; view: View }) {
  switch (block.kind) {
    case "heading":
      return (
        <div class={`md-heading md-h${block.level}`} role="heading" aria-level={Math.min(6, view.level + 1)}>
          <InlineView nodes={block.inline} view={view} />
        </div>
      );
    case "paragraph":
      return (
        <p class="recorded">
          <InlineView nodes={block.inline} view={view} />
        </p>
      );
    case "code":
      return <Code block={block} view={view} />;
    case "plain":
      return <LinesView lines={textLines(block.text)} label="Text" />;
    case "rule":
      return <hr />;
    case "quote":
      return <blockquote>{blocksView(block.blocks, view)}</blockquote>;
    case "list": {
      const items = block.items.map(({ isDone, blocks }, index) => (
        <li key={index} class={isDone === null ? undefined : "task"}>
          {isDone !== null && (
            <span class="task-sign">
              <span aria-hidden="true">{isDone ? "☑" : "☐"}</span>
              <span class="visually-hidden">{isDone ? "done: " : "to do: "}</span>
            </span>
          )}
          {blocksView(blocks, view)}
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return <TableView block={block} view={view} />;
  }
}

function blocksView(blocks: readonly Block[], view: View): ComponentChildren {
  const [only] = blocks;
  // The one paragraph of an item is the item's text.
  if (blocks.length === 1 && only?.kind === "paragraph") return <InlineView nodes={only.inline} view={view} />;
  return blocks.map((block, index) => <BlockView key={index} block={block} view={view} />);
}

function Code({ block, view }: { block: Extract<Block, { kind: "code" }>; view: View }) {
  const label = block.language === "" ? "Code" : `Code: ${visibleText(block.language.slice(0, 40))}`;
  if (isLongCode(block.text)) {
    const lines = block.text === "" ? lineArray([]) : textLines(block.text);
    return <LinesView lines={lines} label={label} class="sunken" />;
  }
  return (
    <pre class="md-code" role="group" tabIndex={0} aria-label={label}>
      <code class="recorded">
        <Leaf of={block} text={block.text} view={view} />
      </code>
    </pre>
  );
}

function isLongCode(text: string): boolean {
  return text.length > 5000 || text.split("\n", LONG_CODE_LINES + 1).length > LONG_CODE_LINES;
}

function TableView({ block, view }: { block: Extract<Block, { kind: "table" }>; view: View }) {
  const cells = (row: readonly Inline[][], Cell: "th" | "td") =>
    row.map((cell, index) => (
      <Cell key={index} class="recorded" {...(Cell === "th" ? { scope: "col" } : {})}>
        <InlineView nodes={cell} view={view} />
      </Cell>
    ));
  return (
    <div class="md-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>{cells(block.head, "th")}</tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function InlineView({ nodes, view }: { nodes: readonly Inline[]; view: View }) {
  return (
    <>
      {nodes.map((node, index) => (
        <NodeView key={index} node={node} view={view} />
      ))}
    </>
  );
}

function NodeView({ node, view }: { node: Inline; view: View }) {
  switch (node.kind) {
    case "text":
      return <Leaf of={node} text={node.text} view={view} />;
    case "code":
      return (
        <code class="md-inline-code recorded">
          <Leaf of={node} text={node.text} view={view} />
        </code>
      );
    case "em":
      return (
        <em>
          <InlineView nodes={node.children} view={view} />
        </em>
      );
    case "strong":
      return (
        <strong>
          <InlineView nodes={node.children} view={view} />
        </strong>
      );
    case "strike":
      return (
        <s>
          <InlineView nodes={node.children} view={view} />
        </s>
      );
    case "image":
      return (
        <span class="md-image">
          {"image not loaded: "}
          <Leaf of={node} text={node.alt === "" ? node.href : `${node.alt} (${node.href})`} view={view} />
        </span>
      );
    case "link":
      return <Link node={node} view={view} />;
  }
}

function Link({ node, view }: { node: Extract<Inline, { kind: "link" }>; view: View }) {
  const href = safeHref(node.href);
  const [only] = node.children;
  const isBare = node.children.length === 1 && only?.kind === "text" && only.text === node.href;
  const text = <InlineView nodes={node.children} view={view} />;
  // The address as the browser would go to it: what it looks like cannot lie.
  const shown = href ?? node.href;
  return (
    <>
      {href === null ? (
        <span class="md-dead-link">{text}</span>
      ) : (
        <a href={href} rel="noopener noreferrer" target="_blank">
          {text}
        </a>
      )}
      {!(isBare && (href === null || href === node.href || href === `${node.href}/`)) && (
        <span class="md-href recorded">
          {" ("}
          <SpanText text={shown.length > 500 ? `${shown.slice(0, 500)}…` : shown} />
          {")"}
        </span>
      )}
    </>
  );
}

/** Text without looks of its own; where words are found. `of` is what it is told apart by. */
function Leaf({ of, text, view: { needle, hit } }: { of: object; text: string; view: View }) {
  return <SpanText text={text} marks={marksIn(text, needle, 30)} current={hit?.text === of ? hit.mark : null} />;
}

/** In the order of the page; long code finds by itself. */
function hitsIn(pages: readonly Block[][], needle: string): Hit[] {
  const hits: Hit[] = [];
  const look = (page: number, text: object, words: string) => {
    const { length } = marksIn(words, needle, 30);
    for (let mark = 0; mark < length; mark++) hits.push({ page, text, mark });
  };
  const inline = (page: number, nodes: readonly Inline[]): void => {
    for (const node of nodes) {
      if (node.kind === "text" || node.kind === "code") look(page, node, node.text);
      else if (node.kind === "image") look(page, node, node.alt === "" ? node.href : `${node.alt} (${node.href})`);
      else inline(page, node.children);
    }
  };
  const visit = (page: number, block: Block): void => {
    if (block.kind === "heading" || block.kind === "paragraph") inline(page, block.inline);
    else if (block.kind === "quote") for (const one of block.blocks) visit(page, one);
    else if (block.kind === "list") for (const { blocks } of block.items) for (const one of blocks) visit(page, one);
    else if (block.kind === "table")
      for (const row of [block.head, ...block.rows]) for (const cell of row) inline(page, cell);
    else if (block.kind === "code" && !isLongCode(block.text)) look(page, block, block.text);
  };
  for (const [page, blocks] of pages.entries()) for (const block of blocks) visit(page, block);
  return hits;
}
