import { useMemo } from "preact/hooks";
import { size } from "../../../core/text/when.ts";
import { copyText } from "../../ui/copy.ts";
import { Icon } from "../../ui/icon.tsx";
import { diffLineSource, diffSummary } from "../diff/diff-marks.ts";
import { withoutSame } from "../diff/line-diff.ts";
import { FoundText } from "../find/found-text.tsx";
import { JsonTree } from "../json/json-tree.tsx";
import type { Part } from "../payload/part.ts";
import { LinesView } from "../text/lines-view.tsx";
import { WrapToggle } from "../text/wrap-toggle.tsx";
import { Checklist } from "./checklist.tsx";
import { MediaCard } from "./media-card.tsx";
import { partLabel } from "./part-label.ts";
import { TableView } from "./table-view.tsx";
import { TextPart } from "./text-part.tsx";

/** The parts of a payload, each in its own view. */

export function Parts({ parts, label }: { parts: readonly Part[]; label: string }) {
  return (
    <div class="parts">
      {parts.map((part, index) => (
        <PartView key={index} part={part} label={label} />
      ))}
    </div>
  );
}

function PartView({ part, label }: { part: Part; label: string }) {
  switch (part.kind) {
    case "text":
      return <TextPart text={part.text} title={part.title} hint={part.hint} />;
    case "file":
      return <TextPart text={part.text} title={part.title ?? "File"} hint="file" firstLine={part.firstLine} />;
    case "command":
      return <Command text={part.text} title={part.title} />;
    case "diff":
      return <Diff part={part} />;
    case "json":
      return (
        <div class="part">
          <Title title={part.title} />
          <JsonTree value={part.value} label={partLabel(part.title, label)} />
        </div>
      );
    case "table":
      return (
        <div class="part">
          <Title title={part.title} />
          <TableView names={part.names} rows={part.rows} label={partLabel(part.title, label)} />
        </div>
      );
    case "checklist":
      return <Checklist items={part.items} />;
    case "facts":
      return (
        <dl class="facts">
          {part.facts.map(({ name, value, kind }) => (
            <div key={name} class="fact">
              <dt class="recorded">
                <FoundText text={name} />
              </dt>
              <dd>
                <FoundText text={value} {...(kind === "string" ? {} : { class: `tree-value ${kind} mono` })} />
              </dd>
            </div>
          ))}
        </dl>
      );
    case "media":
      return <MediaCard media={part.media} title={part.title} />;
    case "heading":
      return <Title title={part.title} />;
    case "note":
      return <p class="part-note soft">{part.text}</p>;
    case "cut":
      return <CutPayload part={part} />;
  }
}

function Title({ title }: { title: string | undefined }) {
  if (title === undefined) return null;
  return (
    <div class="part-bar">
      <FoundText text={title} class="part-title" />
    </div>
  );
}

function Command({ text, title }: { text: string; title: string | undefined }) {
  return (
    <div class="part">
      {title !== undefined && (
        <div class="part-bar">
          <FoundText text={title} class="part-title" />
        </div>
      )}
      <div class="shell">
        <span class="shell-sign" aria-hidden="true">
          $
        </span>
        <code class="shell-text">
          <FoundText text={text} />
        </code>
        <button
          type="button"
          class="icon-button small"
          aria-label="Copy the command"
          title="Copy"
          onClick={() => void copyText(text, "the command")}
        >
          <Icon name="copy" />
        </button>
      </div>
    </div>
  );
}

function Diff({ part: { lines, title } }: { part: Extract<Part, { kind: "diff" }> }) {
  const source = useMemo(() => diffLineSource(withoutSame(lines)), [lines]);
  return (
    <div class="part">
      <div class="part-bar">
        {title !== undefined && <FoundText text={title} class="part-title mono" />}
        <span class="part-size soft">{diffSummary(lines)}</span>
        <WrapToggle />
      </div>
      <LinesView
        lines={source}
        label={title === undefined ? "Changes" : `Changes of ${partLabel(title, "a file")}`}
        class="diff"
      />
    </div>
  );
}

function CutPayload({ part: { originalBytes, head, tail } }: { part: Extract<Part, { kind: "cut" }> }) {
  return (
    <div class="part">
      <p class="notice warn">
        <Icon name="alert" />
        {`${size(originalBytes)} in all; only the beginning and the end were kept.`}
      </p>
      <TextPart text={head} title="Beginning" />
      {tail !== "" && <TextPart text={tail} title="End" />}
    </div>
  );
}
