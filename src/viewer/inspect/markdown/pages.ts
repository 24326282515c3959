import type { Block } from "./blocks.ts";
import type { Inline } from "./inline.ts";

/** A long Markdown text in pages, so that no text fills the browser with elements. Pure. */

/** About how many elements one page may be. */
const PAGE_WEIGHT = 700;

export function pagesOf(blocks: readonly Block[]): Block[][] {
  const pages: Block[][] = [];
  let page: Block[] = [];
  let weight = 0;
  for (const block of blocks.flatMap((one) => partsOf(one))) {
    const own = weightOf(block);
    if (weight > 0 && weight + own > PAGE_WEIGHT) {
      pages.push(page);
      page = [];
      weight = 0;
    }
    page.push(block);
    weight += own;
  }
  pages.push(page);
  return pages;
}

/** A block that is too large for a page, in parts of the same kind; what has no parts becomes plain text. */
function partsOf(block: Block): Block[] {
  if (weightOf(block) <= PAGE_WEIGHT) return [block];
  if (block.kind === "list") {
    let passed = 0;
    return grouped(block.items, (item) => 1 + weightOfAll(item.blocks)).map((items) => {
      const start = block.start === null ? null : block.start + passed;
      passed += items.length;
      return atMost({ kind: "list", start, items });
    });
  }
  if (block.kind === "table") {
    return grouped(block.rows, (row) => 1 + sum(row.map(weightOfInline))).map((rows) => atMost({ ...block, rows }));
  }
  if (block.kind === "quote") {
    const inner = block.blocks.flatMap((one) => partsOf(one));
    return grouped(inner, weightOf).map((blocks) => atMost({ kind: "quote", blocks }));
  }
  return [atMost(block)];
}

function atMost(block: Block): Block {
  return weightOf(block) > 2 * PAGE_WEIGHT ? { kind: "plain", text: textOf(block) } : block;
}

function grouped<Item>(items: readonly Item[], weigh: (item: Item) => number): Item[][] {
  const groups: Item[][] = [];
  let weight = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const own = weigh(item);
    if (weight + own > PAGE_WEIGHT) {
      groups.push([]);
      weight = 0;
    }
    groups.at(-1)?.push(item);
    weight += own;
  }
  return groups;
}

function weightOf(block: Block): number {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return weightOfInline(block.inline);
    case "quote":
      return 1 + weightOfAll(block.blocks);
    case "list":
      return 1 + sum(block.items.map((item) => 2 + weightOfAll(item.blocks)));
    case "table":
      return 3 + sum([block.head, ...block.rows].map((row) => 1 + sum(row.map(weightOfInline))));
    case "code":
    case "plain":
      // Long ones are in sight in parts; short ones are few elements.
      return 25;
    case "rule":
      return 1;
  }
}

function weightOfAll(blocks: readonly Block[]): number {
  return sum(blocks.map(weightOf));
}

function weightOfInline(nodes: readonly Inline[]): number {
  return 1 + sum(nodes.map((node) => ("children" in node ? 1 + weightOfInline(node.children) : 1)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function textOf(block: Block): string {
  const parts: string[] = [];
  const inline = (nodes: readonly Inline[]): string =>
    nodes
      .map((node) => ("children" in node ? inline(node.children) : node.kind === "image" ? node.alt : node.text))
      .join("");
  const visit = (one: Block): void => {
    if (one.kind === "heading" || one.kind === "paragraph") parts.push(inline(one.inline));
    else if (one.kind === "code" || one.kind === "plain") parts.push(one.text);
    else if (one.kind === "quote") one.blocks.forEach(visit);
    else if (one.kind === "list") for (const item of one.items) item.blocks.forEach(visit);
    else if (one.kind === "table") for (const row of [one.head, ...one.rows]) parts.push(row.map(inline).join(" | "));
  };
  visit(block);
  return parts.join("\n");
}
