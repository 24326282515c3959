import { useMemo } from "preact/hooks";
import type { Story } from "../../../core/story.ts";
import type { Source } from "../../data/source.ts";
import { Inspector, type InspectorPart } from "../../inspect/inspector.tsx";
import { partOf } from "../story/story-order.ts";
import { DetailPane } from "./detail-pane.tsx";
import { RawRun } from "./raw-run.tsx";

/** What is selected, in detail; or, asked for raw with nothing selected, the run itself. */

export interface RunDetailProps {
  source: Source;
  story: Story;
  selected: string | null;
  isRaw: boolean;
  isWhole: boolean;
  onClose: () => void;
}

export function RunDetail({ source, story, selected, isRaw, isWhole, onClose }: RunDetailProps) {
  const part = useMemo(() => inspectorPart(story, selected), [story, selected]);
  if (part === null) {
    return (
      <DetailPane label="Detail">
        {selected === null ? (
          <RawRun run={story.run} onClose={onClose} />
        ) : (
          <p class="detail-missing soft">
            {isWhole && story.run.status !== "running"
              ? "What this link leads to is not in this run."
              : "What this link leads to has not been recorded yet; it appears here when it is."}
          </p>
        )}
      </DetailPane>
    );
  }
  return (
    <DetailPane label="Detail">
      <Inspector source={source} run={story.run} part={part} isRaw={isRaw} onClose={onClose} />
    </DetailPane>
  );
}

function inspectorPart(story: Story, selected: string | null): InspectorPart | null {
  if (selected === null) return null;
  const { input, finalAnswer } = story.run;
  if (selected === "prompt") return input === null ? null : { kind: "prompt", text: input };
  if (selected === "answer") return finalAnswer === null ? null : { kind: "answer", text: finalAnswer };
  const part = partOf(story, selected);
  if (part?.kind === "step") return { kind: "step", step: part.step };
  return part?.kind === "note" ? { kind: "note", note: part.note } : null;
}
