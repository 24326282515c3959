import type { RunItem } from "../../core/service-wire.ts";
import { type ExportFormat, type Source, SourceProblem } from "../data/source.ts";
import { copyText } from "../ui/copy.ts";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { isoDate, timeOfDay } from "../ui/time.ts";
import { toast } from "../ui/toast.tsx";
import { firstLine } from "../ui/visible.ts";
import { go, hrefOf, lastList, route, runPlace } from "./route.ts";
import { selection } from "./selection.ts";

/** What can be done with a run as a whole, in the list and beside the run itself. */

type ActedOn = Pick<RunItem, "id" | "input" | "host" | "startedAt">;

interface RunMenuProps {
  source: Source;
  run: ActedOn;
  /** Called once the run is gone. */
  onDeleted?: () => void;
  /** Called when it is there again. */
  onRestored?: () => void;
  class?: string;
  /** The list has keys for some of them; they are told beside the words. */
  isInList?: boolean;
}

const FORMATS: readonly { format: ExportFormat; label: string }[] = [
  { format: "html", label: "Save as a web page" },
  { format: "md", label: "Save as Markdown" },
  { format: "ndjson", label: "Save as NDJSON" },
];

/** A button that opens the list of them; nothing where a page that was saved can do none. */
export function RunMenu({
  source,
  run,
  onDeleted,
  onRestored,
  class: name = "icon-button",
  isInList = false,
}: RunMenuProps) {
  if (source.kind === "file") return null;
  const keyed = (key: string) => (isInList ? { key } : {});
  const entries: MenuEntry[] = [
    { label: "Copy link", icon: "link", run: () => void copyText(linkTo(run.id), "the link") },
    { label: "Copy id", icon: "copy", run: () => void copyText(run.id, "the id") },
    { label: "Compare with…", icon: "columns", ...keyed("x"), run: () => chooseForComparison(run) },
    ...FORMATS.map(({ format, label }) => ({
      label,
      icon: "download" as const,
      run: () => void save(source, run, format),
    })),
    {
      label: "Delete",
      icon: "trash",
      ...keyed("#"),
      isDangerous: true,
      run: () => void deleteRun(source, run, onDeleted, onRestored),
    },
  ];
  return <Menu label={`Actions for ${runLabel(run)}`} icon="dots" entries={entries} class={name} />;
}

/** Deletes a run, and offers to take that back for as long as the service waits. */
export async function deleteRun(
  source: Source,
  run: ActedOn,
  onDeleted?: () => void,
  onRestored?: () => void,
): Promise<void> {
  try {
    const { undoUntil } = await source.remove(run.id);
    onDeleted?.();
    const place = route.value;
    const wasShown = place.view === "run" && place.id === run.id;
    if (wasShown) go(lastList());
    toast({
      text: `Deleted “${runLabel(run)}”.`,
      lastsMs: Math.max(3000, undoUntil - Date.now()),
      action: {
        label: "Undo",
        until: undoUntil,
        run: () =>
          void restoreRun(source, run, () => {
            onRestored?.();
            if (wasShown) go(place);
          }),
      },
    });
  } catch (fault) {
    tellProblem("It was not deleted", fault);
  }
}

/** Goes to the list with this run selected, for a person to select the other one. */
export function chooseForComparison(run: ActedOn): void {
  selection.value = [run.id];
  if (route.value.view !== "runs") go(lastList());
  toast({ text: "Select the run to compare it with (x, then c)." });
}

async function restoreRun(source: Source, run: ActedOn, onRestored: () => void): Promise<void> {
  try {
    await source.restore(run.id);
    onRestored();
    toast({ text: "Restored.", lastsMs: 2500 });
  } catch (fault) {
    tellProblem("It could not be brought back", fault);
  }
}

async function save(source: Source, run: ActedOn, format: ExportFormat): Promise<void> {
  try {
    await source.save(run.id, format);
  } catch (fault) {
    tellProblem("It was not saved", fault);
  }
}

function tellProblem(what: string, fault: unknown): void {
  const why = fault instanceof SourceProblem ? fault.message : "An error in the page itself; please report it.";
  toast({ text: `${what}: ${why}`, kind: "error", lastsMs: 10_000 });
}

function linkTo(id: string): string {
  return new URL(hrefOf(runPlace(id)), location.href).href;
}

/** What a run is called where there is little room: its prompt, or which application ran it when. */
export function runLabel({ input, host, startedAt }: Pick<RunItem, "input" | "host" | "startedAt">): string {
  const line = input === null ? "" : firstLine(input, 60);
  if (line !== "") return line;
  return `${host === null ? "unknown host" : firstLine(host.app, 40)}, ${isoDate(startedAt)} ${timeOfDay(startedAt)}`;
}
