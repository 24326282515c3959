import type { NoteEntry, Step } from "../../core/run.ts";

/** What is looked at: a call or a note (in brief; the whole one is fetched), the prompt, or the answer. */
export type InspectorPart =
  | { kind: "step"; step: Step }
  | { kind: "note"; note: NoteEntry }
  | { kind: "prompt" | "answer"; text: string };
