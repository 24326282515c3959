import { useMemo, useState } from "preact/hooks";
import { counted } from "../../../core/text/when.ts";
import { copyText } from "../../ui/copy.ts";
import { Icon } from "../../ui/icon.tsx";
import { diffLineSource, diffSummary } from "../diff/diff-marks.ts";
import { patchLines } from "../diff/patch-text.ts";
import { FoundText } from "../find/found-text.tsx";
import { JsonTree } from "../json/json-tree.tsx";
import { parseContainer } from "../json/value.ts";
import { Markdown } from "../markdown.tsx";
import { formsOf, numberedLines, type TextForm } from "../payload/text-forms.ts";
import { terminalText } from "../terminal/ansi.ts";
import { type LineSource, lineArray, textLines } from "../text/line-source.ts";
import { LinesView } from "../text/lines-view.tsx";
import { WrapToggle } from "../text/wrap-toggle.tsx";
import { partLabel } from "./part-label.ts";
import { Switch } from "./switch.tsx";

/** A text in the form that fits it best, with a switch to the others and to the text as it is. */

export interface TextPartProps {
  text: string;
  title?: string | undefined;
  /** What it is by where it stands. */
  hint?: "markdown" | "terminal" | "file" | undefined;
  /** Of a file. */
  firstLine?: number | undefined;
  /** Shown whole at once. */
  isOpen?: boolean | undefined;
  /** Of the highest heading in it. */
  headingLevel?: number | undefined;
}

/** A text without a title that is no longer needs no bar of its own. */
const SHORT = 300;

const NAMES: Record<TextForm, string> = {
  markdown: "Formatted",
  terminal: "Terminal",
  diff: "Changes",
  json: "JSON",
  file: "Lines",
  plain: "Plain",
};

export function TextPart({ text, title, hint, firstLine, isOpen, headingLevel = 4 }: TextPartProps) {
  const forms = useMemo(() => formsOf(text, hint), [text, hint]);
  const [wanted, setWanted] = useState<TextForm | null>(null);
  const form = wanted !== null && forms.includes(wanted) ? wanted : (forms[0] ?? "plain");
  const label = partLabel(title, "Text");
  const view =
    form === "markdown" ? (
      <Markdown text={text} headingLevel={headingLevel} />
    ) : (
      <TextForms form={form} text={text} label={label} firstLine={firstLine} isOpen={isOpen === true} />
    );
  if (title === undefined && forms.length === 1 && text.length < SHORT) {
    return <div class="part">{view}</div>;
  }
  return (
    <div class="part">
      <div class="part-bar">
        {title !== undefined && <FoundText text={title} class="part-title" />}
        <span class="part-size soft">{sizeOf(text)}</span>
        {forms.length > 1 && (
          <Switch
            label={`How ${label} is shown`}
            choices={forms.map((value) => ({ value, label: NAMES[value] }))}
            chosen={form}
            onChoose={setWanted}
          />
        )}
        {form !== "markdown" && form !== "json" && <WrapToggle />}
        <button
          type="button"
          class="icon-button small"
          aria-label={`Copy ${label}`}
          title="Copy"
          onClick={() => void copyText(text, "the text")}
        >
          <Icon name="copy" />
        </button>
      </div>
      {view}
    </div>
  );
}

interface TextFormsProps {
  form: TextForm;
  text: string;
  label: string;
  firstLine: number | undefined;
  isOpen: boolean;
}

function TextForms({ form, text, label, firstLine, isOpen }: TextFormsProps) {
  const shown = useMemo(() => shownText(form, text, firstLine), [form, text, firstLine]);
  if (shown.kind === "json") return <JsonTree value={shown.value} label={label} />;
  return (
    <>
      <LinesView lines={shown.lines} label={label} isOpen={isOpen} class={shown.class} />
      {shown.note !== "" && <p class="part-note soft recorded">{shown.note}</p>}
    </>
  );
}

type Shown = { kind: "json"; value: unknown } | { kind: "lines"; lines: LineSource; class: string; note: string };

function shownText(form: TextForm, text: string, firstLine: number | undefined): Shown {
  if (form === "json") return { kind: "json", value: parseContainer(text) };
  if (form === "terminal") {
    const { lines, leftOut } = terminalText(text);
    const kinds = leftOut.kinds.length < leftOut.count ? `${leftOut.kinds.join(", ")} …` : leftOut.kinds.join(", ");
    const note =
      leftOut.count === 0 ? "" : `${counted(leftOut.count, "control sequence")} left out where ␛ stands: ${kinds}`;
    return { kind: "lines", lines: lineArray(lines), class: "terminal", note };
  }
  if (form === "diff") {
    const lines = patchLines(text);
    return { kind: "lines", lines: diffLineSource(lines), class: "diff", note: diffSummary(lines) };
  }
  if (form === "file") {
    const numbered = firstLine === undefined ? numberedLines(text) : null;
    const lines = numbered === null ? textLines(text, firstLine ?? 1) : textLines(numbered.text, numbered.first);
    return { kind: "lines", lines, class: "sunken", note: "" };
  }
  return { kind: "lines", lines: textLines(text), class: "prose", note: "" };
}

/** `1,234 characters`; nothing for what is short enough to be seen at a glance. */
function sizeOf(text: string): string {
  return text.length < 500 ? "" : `${text.length.toLocaleString("en")} characters`;
}
