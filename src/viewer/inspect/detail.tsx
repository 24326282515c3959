import { useErrorBoundary, useMemo } from "preact/hooks";
import { copyText } from "../ui/copy.ts";
import { Icon } from "../ui/icon.tsx";
import { visibleText } from "../ui/visible.ts";
import type { InspectorPart } from "./inspector-part.ts";
import { jsonText } from "./json/json-text.ts";
import { parseContainer } from "./json/value.ts";
import { Parts } from "./parts/part-view.tsx";
import { TextPart } from "./parts/text-part.tsx";
import { argumentParts } from "./payload/argument-parts.ts";
import { RawJson, Section } from "./section.tsx";
import { StepDetail } from "./step-detail.tsx";
import { WrapToggle } from "./text/wrap-toggle.tsx";

/** What the inspector shows of a part: as a person reads it, or its JSON. A fault in showing one never takes the page down. */

export interface DetailProps {
  part: InspectorPart;
  isLoading: boolean;
  isRaw: boolean;
}

export function Detail(props: DetailProps) {
  const [fault] = useErrorBoundary();
  if (fault === undefined || fault === null) return <Shown {...props} />;
  return (
    <>
      <p class="notice error" role="alert">
        <Icon name="alert" />
        <span>{`It could not be shown in a fitting way (${String(fault)}); this is its JSON.`}</span>
      </p>
      <Shown {...props} isRaw />
    </>
  );
}

function Shown({ part, isLoading, isRaw }: DetailProps) {
  if (isRaw) {
    const value = part.kind === "step" ? part.step : part.kind === "note" ? part.note : part.text;
    return (
      <Section
        title={isLoading ? "Raw JSON (loading the rest …)" : "Raw JSON"}
        aside={
          <>
            <WrapToggle />
            <button
              type="button"
              class="icon-button small"
              aria-label="Copy the JSON"
              title="Copy"
              onClick={() => void copyText(jsonText(value), "the JSON")}
            >
              <Icon name="copy" />
            </button>
          </>
        }
      >
        <RawJson value={value} label="Raw JSON" isOpen />
      </Section>
    );
  }
  if (part.kind === "step") return <StepDetail step={part.step} isLoading={isLoading} />;
  if (part.kind === "note") {
    const { text, kind, agentId } = part.note;
    return (
      <>
        {agentId !== null && <p class="part-note soft recorded">{`By the agent ${visibleText(agentId)}`}</p>}
        {kind === "plan" && <PlanParts text={text} />}
        <TextPart text={text} hint={kind === "warning" ? undefined : "markdown"} isOpen headingLevel={3} />
        {isLoading && <p class="part-note soft">Loading the rest …</p>}
      </>
    );
  }
  return <TextPart text={part.text} hint="markdown" isOpen headingLevel={3} />;
}

/** A plan that was recorded as JSON, as what is to be done. */
function PlanParts({ text }: { text: string }) {
  const parts = useMemo(() => argumentParts(parseContainer(text)).filter((part) => part.kind === "checklist"), [text]);
  return parts.length === 0 ? null : <Parts parts={parts} label="Plan" />;
}
