import { log, logDegraded } from "../../kit/log.ts";
import { storePath } from "../../kit/paths.ts";
import { processStartedAt } from "../../kit/process-identity.ts";
import { Journal } from "../../record/journal.ts";
import { trustedText } from "../../redact/redact.ts";
import { ControlBooks } from "../../store/control-books.ts";
import { type Limits, pruneStore } from "../../store/retention.ts";
import { SqliteStore, setCorruptStoreAside, storeIdentity } from "../../store/sqlite-store.ts";
import type { StoreError } from "../../store/store-error.ts";
import type { Recorder } from "../recorder.ts";
import { adoptRun } from "./adoption.ts";
import { Housekeeping } from "./housekeeping.ts";
import type { OpenTranscript } from "./services.ts";
import { SessionRecorder } from "./session-recorder.ts";
import { SystemProcesses } from "./system-processes.ts";

/** Puts the recorder of a home together: sessions → journal → store, going on where an earlier server stopped. */

export interface OpenedRecorder extends Recorder {
  /** About once a second: what has to be done when nothing asks. */
  tick(): void;
}

export function openRecorder(home: string, openTranscript: OpenTranscript): OpenedRecorder {
  const path = storePath(home);
  const owner = { pid: process.pid, startedAt: processStartedAt(process.pid) ?? "unknown" };
  const books = new ControlBooks(path);
  const openRuns = () => recorder.sessions.all.flatMap(({ session }) => session.openRuns);
  const journal: Journal = new Journal({
    store: {
      open: () => SqliteStore.open(path),
      identity: () => storeIdentity(path),
      setCorruptAside: (identity) => setCorruptStoreAside(path, identity, Date.now()),
    },
    reopening: () => openRuns().flatMap(({ writer }) => writer.reopeningEntries()),
    tellLoss: (reason, lost) => {
      // Of which runs the lost calls were cannot be told any more: every run that is open says that some are missing.
      for (const { writer } of openRuns()) writer.gap(Date.now(), trustedText(`DEG-13 ${reason}`), lost);
    },
    report: (trouble, episode) => reportTrouble(path, trouble, episode),
  });
  const recorder: SessionRecorder = new SessionRecorder({
    books,
    commits: journal,
    services: {
      owner,
      newId: (prefix) => trustedText(`${prefix}_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`),
      loadRun: (state, sessionKey, services) =>
        adoptRun(state, sessionKey, books.eventsOf(state.id), services, { owner, now: Date.now() }),
      openTranscript,
    },
    now: Date.now,
    processStartedAt,
  });
  recorder.resume({ sessions: books.openSessions(), held: books.held() });
  const care = {
    checkpoint: () => journal.checkpoint(),
    prune: (limits: Limits) => pruneStore(path, limits).isDone,
  };
  const housekeeping = new Housekeeping(recorder, care, new SystemProcesses(), Date.now());
  return {
    takeHook: (route, report) => recorder.takeHook(route, report),
    register: (registration) => recorder.register(registration),
    takeProxy: (proxyId, told) => recorder.takeProxy(proxyId, told),
    occupation: () => recorder.occupation(),
    tick: () => void housekeeping.tick(Date.now()),
    close: async () => {
      await recorder.close().catch(() => {});
      const lost = journal.close();
      if (lost > 0) logDegraded("DEG-13", `${lost} call(s) could not be written: the store did not take them`);
      books.close();
    },
  };
}

function reportTrouble(path: string, trouble: StoreError, episode: "began" | "ended"): void {
  if (trouble.failure === "busy") return;
  if (episode === "ended") log(`recording goes on: ${path} takes writes again`);
  else logDegraded("DEG-13", `${path} does not take what is recorded (${trouble.failure}); it is kept and tried again`);
}
