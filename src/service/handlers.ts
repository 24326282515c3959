import { compareRuns } from "../core/compare.ts";
import { Problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { parseRunQuery } from "../core/run-query.ts";
import type { RunItem } from "../core/service-wire.ts";
import { Refused } from "../http-server/body.ts";
import { problemAnswer } from "../http-server/problem-answer.ts";
import { VERSION } from "../version.ts";
import type { Archive } from "./archive/archive.ts";
import type { Deletions } from "./deletions.ts";
import { exportedRun } from "./export/exported-run.ts";
import type { Handlers } from "./handler.ts";
import type { LiveHub } from "./live/hub.ts";
import type { PageFiles } from "./page/page-files.ts";
import { recordingHandlers } from "./recording-handlers.ts";
import type { Recordings } from "./recordings/recordings.ts";
import type { BrowserSessions } from "./who/browser-sessions.ts";

/** What each route does: asks the archive, the deletions, the live hub or the recordings, and nothing else. */

export interface HandlerParts {
  archive: Archive;
  deletions: Deletions;
  hub: LiveHub;
  recordings: Recordings;
  sessions: BrowserSessions;
  /** What goes into a run's HTML file; null where there is none. */
  page: PageFiles | null;
  /** The text of the OpenAPI document. */
  document: () => string;
  /** Who serves, and since when (epoch ms). */
  own: { pid: number; processStartedAt: string; startedAt: number };
  /** Epoch ms. */
  now: () => number;
}

export function serviceHandlers(parts: HandlerParts): Handlers {
  const { archive, deletions, hub, sessions, now } = parts;

  /** The run as it is listed. Throws Problem where there is none, or one that is being deleted. */
  const itemOf = (id: string): RunItem => {
    const item = deletions.has(id) ? null : archive.finder().item(id);
    if (item === null) throw noSuchRun();
    return item;
  };
  const wholeRun = (id: string): Run => {
    const run = deletions.has(id) ? null : archive.reader().run(id);
    if (run === null) throw noSuchRun();
    return run;
  };

  return {
    listRuns: ({ query: { q, after, limit } }) => {
      const query = parseRunQuery(q, now());
      const finder = archive.finder();
      const page = finder.page(query, after || null, limit);
      const runs = page.runs.filter(({ id }) => !deletions.has(id));
      const total = after ? null : finder.total(query);
      const shown = total === null ? null : Math.max(runs.length, total - (page.runs.length - runs.length));
      return { runs, total: shown, next: page.next, index: archive.index(), issues: query.issues };
    },
    search: ({ query: { q, after, limit } }) => {
      const query = parseRunQuery(q, now());
      const page = archive.finder().hits(query, after || null, limit);
      const hits = page.hits.filter(({ run }) => !deletions.has(run.id));
      return { hits, next: page.next, index: archive.index(), issues: query.issues };
    },
    facets: () => archive.finder().facets(),
    run: ({ params: { runId } }) => itemOf(runId),
    events: ({ params: { runId }, query: { after, limit, payloads } }) => {
      const page = deletions.has(runId) ? null : archive.reader().eventPage(runId, after, limit, payloads);
      if (page === null) throw noSuchRun();
      return page;
    },
    step: ({ params: { runId, stepId } }) => {
      const step = deletions.has(runId) ? null : archive.reader().step(runId, stepId);
      if (step === null) throw new Problem("no-such-step", "there is no such step", "The run's events tell its steps.");
      return step;
    },
    note: ({ params: { runId, seq } }) => {
      const note = deletions.has(runId) ? null : archive.reader().note(runId, seq);
      if (note === null) throw new Problem("no-such-note", "there is no such note", "The run's events tell its notes.");
      return note;
    },
    exportRun: ({ params: { runId }, query: { format } }) => {
      const { text, type, fileName } = exportedRun(wholeRun(runId), format, parts.page, now());
      // Saved, and never shown within the service's own origin.
      const headers = { "content-type": type, "content-disposition": `attachment; filename="${fileName}"` };
      return new Response(text, { headers });
    },
    deleteRun: ({ params: { runId } }) => {
      const pending = deletions.pending(runId);
      if (pending !== null) return pending;
      const { status } = itemOf(runId);
      if (status === "running" && !archive.reader().isReceived(runId)) {
        throw new Problem("run-is-recorded", "this run is being recorded just now", "End its session first.");
      }
      return deletions.delete(runId);
    },
    restoreRun: ({ params: { runId } }) => {
      // One that was never deleted is there, and that is what is wanted.
      if (!deletions.restore(runId)) itemOf(runId);
      return new Response(null, { status: 204 });
    },
    compare: ({ query: { left, right } }) => compareRuns(wholeRun(left), wholeRun(right)),
    live: ({ query: { run, after }, request }) => {
      const headers = { "content-type": "text/event-stream" };
      if (request.method === "HEAD") return new Response(null, { headers });
      const lastId = request.headers.get("last-event-id") ?? "";
      const since = /^\d{1,15}$/.test(lastId) ? Number(lastId) : null;
      const watched = run ? { id: run, position: after, isAbandoned: false, isBehind: false } : null;
      return new Response(hub.listen(watched, since), { headers });
    },
    service: () => ({ version: VERSION, ...parts.own, listeners: hub.size, index: archive.index() }),
    ...recordingHandlers(parts.recordings),
    openSession: ({ body: { code }, request, port }) => {
      const admission = sessions.admit(code, request.headers, port);
      if (admission === null) {
        const more = {
          title: "this link does not open the page any more",
          code: "code-spent",
          detail: "Run `bir view` again.",
        };
        throw new Refused(problemAnswer(401, more));
      }
      return Response.json({ key: admission.key }, { headers: { "set-cookie": admission.cookie } });
    },
    openCode: () => sessions.newCode(),
    document: () => new Response(parts.document(), { headers: { "content-type": "application/json" } }),
    health: () => ({ ok: true, service: "bir", version: VERSION }),
  };
}

function noSuchRun(): Problem {
  return new Problem("no-such-run", "there is no such run", "The list of runs tells which there are.");
}
