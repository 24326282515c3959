import type { ServerLog } from "../http-server/server-log.ts";
import { storePath } from "../kit/paths.ts";
import type { StoreError } from "../store/store-error.ts";
import { serviceApp } from "./app.ts";
import { Archive, type IsAlive } from "./archive/archive.ts";
import { IndexKeeper } from "./archive/index-keeper.ts";
import { Deletions } from "./deletions.ts";
import { serviceHandlers } from "./handlers.ts";
import { ChangeFeed } from "./live/change-feed.ts";
import { LiveHub } from "./live/hub.ts";
import { openApiText } from "./open-api-text.ts";
import { Page } from "./page/page.ts";
import type { PageFiles } from "./page/page-files.ts";
import { Recordings } from "./recordings/recordings.ts";
import { BrowserSessions } from "./who/browser-sessions.ts";
import { Guard } from "./who/guard.ts";
import type { ServiceSecrets } from "./who/service-secrets.ts";

/** Puts the service of a home together, without a socket: what it answers, and how it ends. */

export interface ServiceOptions {
  home: string;
  secrets: ServiceSecrets;
  log: ServerLog;
  page: PageFiles | null;
  /** Removes runs for good; see `Deletions`. */
  remove: (ids: readonly string[]) => Promise<boolean>;
  own: { pid: number; processStartedAt: string; startedAt: number };
  allowedHosts?: readonly string[];
  undoMs?: number;
  isAlive?: IsAlive;
  /** How often it is looked whether those who record are there still. */
  ownersMs?: number;
  /** Epoch ms. */
  now?: () => number;
}

export interface Service {
  /** Answers a request that came to `port`. */
  fetch(request: Request, port: number): Response | Promise<Response>;
  sessions: BrowserSessions;
  /** Ends what lasts: streams, writes, deletions that are pending. Answer nothing new before. */
  endStreams(): void;
  close(): Promise<void>;
}

export function openService(options: ServiceOptions): Service {
  const { home, secrets, log, own, allowedHosts = [], now = Date.now } = options;
  const keeper = new IndexKeeper(home, log);
  const archive = new Archive(home, keeper, options.isAlive);
  const sessions = new BrowserSessions(secrets.sessionSecret, now);
  const deletions: Deletions = new Deletions({
    remove: options.remove,
    onChange: (change) => hub.tell(change),
    log,
    now,
    ...(options.undoMs === undefined ? {} : { undoMs: options.undoMs }),
  });
  const hub = new LiveHub(new ChangeFeed(archive, deletions, options.ownersMs), log);
  const recordings = new Recordings({
    path: storePath(home),
    onTrouble: (trouble) => sayTrouble(log, trouble),
    onFault: (cause) => log.fault("keeping what was sent", cause),
  });
  const app = serviceApp({
    guard: new Guard({ token: secrets.token, sessions, allowedHosts }),
    handlers: serviceHandlers({
      archive,
      deletions,
      hub,
      recordings,
      sessions,
      page: options.page,
      document: openApiText,
      own,
      now,
    }),
    page: new Page(options.page),
    admits: () => {
      keeper.makeWay();
      return !recordings.isFull;
    },
    log,
  });
  keeper.start();
  return {
    fetch: (request, port) => app.fetch(request, { port }),
    sessions,
    endStreams: () => hub.close(),
    close: async () => {
      hub.close();
      keeper.stop();
      await recordings.close();
      await deletions.finish();
      archive.close();
    },
  };
}

function sayTrouble(log: ServerLog, trouble: StoreError | null): void {
  if (trouble === null) log.say("the store takes what is sent again");
  else log.say(`the store does not take what is sent just now (${trouble.failure}): senders keep it (DEG-13)`);
}
