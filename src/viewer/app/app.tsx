import { useEffect, useRef } from "preact/hooks";
import { CompareView } from "../compare/compare-view.tsx";
import { isSignedOut } from "../data/ask.ts";
import type { Source } from "../data/source.ts";
import { RunsView } from "../list/runs-view.tsx";
import { RunView } from "../run/run-view.tsx";
import { followClock } from "../ui/time.ts";
import { Toasts } from "../ui/toast.tsx";
import { Announcer } from "./announce.tsx";
import { followConnection } from "./connection.ts";
import { Header } from "./header.tsx";
import { Help, isHelpOpen } from "./help.tsx";
import { useKeys } from "./keys.ts";
import { go, lastList, type Route, route, runPlace } from "./route.ts";
import { SavedNote } from "./saved-note.tsx";
import { SignedOut } from "./states.tsx";
import { nextTheme } from "./theme.ts";

/** The frame around all views: the bar, the one view that is shown, and what floats over it. */
export function App({ source }: { source: Source }) {
  const main = useRef<HTMLElement>(null);
  const place = route.value;
  useKeys("Page", [
    {
      keys: ["?"],
      label: "Show this help",
      run: () => {
        isHelpOpen.value = !isHelpOpen.value;
      },
    },
    { keys: ["t"], label: "Next theme", run: nextTheme },
  ]);
  useEffect(followClock, []);
  useEffect(() => {
    if (source.kind === "service") followConnection(source);
    else void goToOnlyRun(source);
  }, [source]);
  useFocusOnArrival(main, place);
  return (
    <>
      <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Header source={source} />
      <SavedNote source={source} />
      <main ref={main} id="main" class="view" tabIndex={-1}>
        {source.kind === "service" && place.view !== "runs" && <BackKeys />}
        {isSignedOut.value ? <SignedOut /> : <View source={source} place={place} />}
      </main>
      <Toasts />
      <Announcer />
      <Help hasSearch={source.kind === "service"} />
    </>
  );
}

/** Stands before the view, so that its keys come first: Escape leaves what is open in it before it leaves the view. */
function BackKeys() {
  const back = () => go(lastList());
  useKeys("Page", [{ keys: ["u", "Backspace", "Escape"], label: "Back to the runs", run: back }]);
  return null;
}

function View({ source, place }: { source: Source; place: Route }) {
  switch (place.view) {
    case "runs":
      // A page that was saved has no list; it is on its way to its run.
      return source.kind === "service" ? <RunsView source={source} place={place} /> : null;
    case "run":
      return <RunView key={place.id} source={source} place={place} />;
    case "compare":
      return <CompareView key={`${place.left} ${place.right}`} source={source} place={place} />;
  }
}

/** Whoever comes to another view is at its beginning, unless the view itself put the focus somewhere. */
function useFocusOnArrival(main: { current: HTMLElement | null }, place: Route): void {
  const isFirst = useRef(true);
  const where = place.view === "run" ? `run ${place.id}` : place.view;
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const { current } = main;
    if (current !== null && !current.contains(document.activeElement)) current.focus({ preventScroll: true });
  }, [where, main]);
}

async function goToOnlyRun(source: Source): Promise<void> {
  const { runs } = await source.runs("", null, new AbortController().signal);
  const [run] = runs;
  if (run !== undefined && !(route.value.view === "run" && route.value.id === run.id)) go(runPlace(run.id), "replace");
}
