import { Command, State } from "../app/states.tsx";
import { Icon } from "../ui/icon.tsx";
import { Recorded } from "../ui/recorded.tsx";

/** What is shown where the list has no run: how the first one is recorded, or that nothing fits. */

export function NothingRecorded() {
  return (
    <State icon="play" title="No run is recorded yet">
      <ol class="first-steps">
        <li>
          <p>Have the MCP servers of your applications recorded:</p>
          <Command text="bir install" />
        </li>
        <li>
          <p>Start your application again (Claude Code, Cursor, VS Code, …) and let it use a tool.</p>
        </li>
        <li>
          <p>The run appears here by itself, while it is under way.</p>
        </li>
      </ol>
      <p class="soft">
        Nothing comes? <code>bir doctor</code> says what is amiss.
      </p>
    </State>
  );
}

interface NothingFoundProps {
  query: string;
  /** It asks for words. */
  hasWords: boolean;
  /** Words of calls cannot all be found yet. */
  isIndexing: boolean;
  onClear: () => void;
}

export function NothingFound({ query, hasWords, isIndexing, onClear }: NothingFoundProps) {
  return (
    <State icon="search" title="No matching runs">
      <p>
        Nothing is found for{" "}
        <code>
          <Recorded text={query} />
        </code>
        .
      </p>
      {(isIndexing || hasWords) && (
        <p class="soft">
          {isIndexing
            ? "The search index is still being made: older calls cannot be found yet."
            : "All words have to be in the run, each at the beginning of a word."}
        </p>
      )}
      <button type="button" class="button" onClick={onClear}>
        <Icon name="close" /> Clear the search
      </button>
    </State>
  );
}
