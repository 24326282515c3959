import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { copyText } from "../ui/copy.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { jsonText } from "./json/json-text.ts";
import { JsonTree } from "./json/json-tree.tsx";
import { Parts } from "./parts/part-view.tsx";
import { Switch } from "./parts/switch.tsx";
import type { Part } from "./payload/part.ts";
import { textLines } from "./text/line-source.ts";
import { LinesView } from "./text/lines-view.tsx";
import { WrapToggle } from "./text/wrap-toggle.tsx";

/** A titled part of the inspector that folds; its title stays in sight as long as anything of it is. */

export interface SectionProps {
  title: string;
  children: ComponentChildren;
  /** Beside the title. */
  aside?: ComponentChildren;
  isFolded?: boolean;
}

export function Section({ title, children, aside, isFolded = false }: SectionProps) {
  const [isOpen, setOpen] = useState(openSections.get(title) ?? !isFolded);
  const id = useId();
  const toggle = () => {
    openSections.set(title, !isOpen);
    setOpen(!isOpen);
  };
  return (
    <section class="inspect-section" aria-labelledby={id}>
      <div class="section-head">
        <h3 id={id}>
          <button type="button" class="section-title" aria-expanded={isOpen} onClick={toggle}>
            <Icon name={isOpen ? "chevronDown" : "chevronRight"} />
            {title}
          </button>
        </h3>
        {isOpen && aside}
      </div>
      {isOpen && children}
    </section>
  );
}

/** What somebody opened, folded or chose holds for the next call too, as long as the page is open. */
const openSections = new Map<string, boolean>();
const chosenForms = new Map<string, Form>();

type Form = "view" | "tree" | "raw";

const FORMS = { view: "View", tree: "Tree", raw: "Raw" } as const;

export interface PayloadSectionProps {
  title: string;
  /** What is copied, and shown as JSON. */
  value: unknown;
  /** As a person reads it; none where JSON says it best. */
  parts: readonly Part[];
}

/** A payload: in the view that fits it, as a tree, and as the JSON text that was recorded. */
export function PayloadSection({ title, value, parts }: PayloadSectionProps) {
  const forms: readonly Form[] = parts.length > 0 ? ["view", "tree", "raw"] : ["tree", "raw"];
  const [wanted, setWanted] = useState(chosenForms.get(title));
  const form = wanted !== undefined && forms.includes(wanted) ? wanted : (forms[0] ?? "tree");
  const choose = (chosen: Form) => {
    chosenForms.set(title, chosen);
    setWanted(chosen);
  };
  return (
    <Section
      title={title}
      aside={
        <>
          <Switch
            label={`How ${title.toLowerCase()} are shown`}
            choices={forms.map((one) => ({ value: one, label: FORMS[one] }))}
            chosen={form}
            onChoose={choose}
          />
          {form === "raw" && <WrapToggle />}
          <CopyMenu title={title} value={value} parts={parts} />
        </>
      }
    >
      {form === "view" && <Parts parts={parts} label={title} />}
      {form === "tree" && <JsonTree value={value} label={title} />}
      {form === "raw" && <RawJson value={value} label={`${title} as JSON text`} />}
    </Section>
  );
}

function CopyMenu({ title, value, parts }: { title: string; value: unknown; parts: readonly Part[] }) {
  const texts = parts.flatMap((part) => ("text" in part && part.kind !== "note" ? [part.text] : []));
  return (
    <Menu
      label={`Copy ${title.toLowerCase()}`}
      icon="copy"
      class="icon-button small"
      entries={[
        ...(texts.length > 0
          ? [{ label: "Copy text", icon: "copy", run: () => void copyText(texts.join("\n"), "the text") } as const]
          : []),
        { label: "Copy as JSON", icon: "copy", run: () => void copyText(jsonText(value), "the JSON") },
        { label: "Copy as JSON in one line", icon: "copy", run: () => void copyText(jsonText(value, 0), "the JSON") },
      ]}
    />
  );
}

/** The JSON text of a value, its numbers as they were recorded. */
export function RawJson({ value, label, isOpen = false }: { value: unknown; label: string; isOpen?: boolean }) {
  const lines = useMemo(() => textLines(jsonText(value)), [value]);
  return <LinesView lines={lines} label={label} class="sunken" isOpen={isOpen} />;
}
