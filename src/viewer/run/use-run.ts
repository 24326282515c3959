import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Source } from "../data/source.ts";
import { NOTHING_READ, RunReading, type RunReadout } from "./run-reading.ts";

/** A run as far as it has been read, kept up to date while the component is shown; and a way to try again. */
export function useRun(source: Source, id: string): RunReadout & { retry: () => void } {
  const [readout, setReadout] = useState<{ id: string; value: RunReadout }>({ id, value: NOTHING_READ });
  const [attempt, setAttempt] = useState(0);
  const reading = useRef<RunReading | null>(null);

  useEffect(() => {
    setReadout({ id, value: NOTHING_READ });
    const started = new RunReading(source, id, (value) => setReadout({ id, value }));
    reading.current = started;
    void started.start();
    return () => started.stop();
  }, [source, id, attempt]);

  useLayoutEffect(() => reading.current?.shown());

  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...(readout.id === id ? readout.value : NOTHING_READ), retry };
}
