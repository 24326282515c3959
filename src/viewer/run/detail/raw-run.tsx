import { useMemo } from "preact/hooks";
import { stringifyExact } from "../../../core/exact-json.ts";
import { summaryOf } from "../../../core/fold.ts";
import type { Run } from "../../../core/run.ts";
import { copyText } from "../../ui/copy.ts";
import { Icon } from "../../ui/icon.tsx";
import { Recorded } from "../../ui/recorded.tsx";

/** What was recorded of the run itself, as JSON; each of its calls shows its own. */

/** A prompt can be longer than a page should hold as one text. */
const SHOWN_LENGTH = 100_000;

export function RawRun({ run, onClose }: { run: Run; onClose: () => void }) {
  const json = useMemo(() => stringifyExact(summaryOf(run), 2), [run]);
  const shown = json.length <= SHOWN_LENGTH ? json : json.slice(0, SHOWN_LENGTH).toWellFormed();
  return (
    <div class="raw-run">
      <div class="raw-head">
        <h2>The run as JSON</h2>
        <button type="button" class="button quiet" onClick={() => void copyText(json, "the run as JSON")}>
          <Icon name="copy" />
          Copy
        </button>
        <button type="button" class="icon-button" aria-label="Close (Escape)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <p class="soft">Each call's own JSON is one key away when it is selected. The export holds everything.</p>
      <pre class="raw-text" tabIndex={0}>
        <Recorded text={shown} />
        {shown.length < json.length && "…"}
      </pre>
    </div>
  );
}
