import type { RedactedText } from "../../core/redacted.ts";
import type { RunState } from "./bound-run.ts";

/**
 * What is kept of a session in the store, so that another server can go on where this one was killed. Not the truth about
 * any run (that is in the events): only what joins the next fact to the right one.
 */
export interface SessionState {
  about: SessionAbout;
  /** The session's own transcript under "", a subagent's under its id. */
  positions: Record<string, TranscriptPosition>;
  /** The run that each subagent belongs to. */
  agents: Record<string, RedactedText>;
  /** What goes on in the background, and the run that started each. */
  tasks: Record<string, BackgroundWork>;
  /** When the host listed last what goes on, epoch ms. */
  tasksListedAt: number;
  /** Whose turn it was from when on; the newest last. */
  turns: Turn[];
  /** Calls that run on the wire, by the proxy's name for them. */
  onWire: Record<string, { runId: RedactedText; stepId: RedactedText }>;
  /** What was told before there was a run to tell it in. */
  untold: Untold;
  /** The newest last; those that were closed long ago are left out. */
  runs: RunState[];
}

/** Which session it is, and what is known of its host. */
export interface SessionAbout {
  key: string;
  sessionId: RedactedText | null;
  app: RedactedText | null;
  appVersion: RedactedText | null;
  /** Where it is now, and where it was when it was first heard of: its servers were started there. */
  cwd: RedactedText;
  firstCwd: RedactedText;
  projectDir: RedactedText | null;
  hostPid: number | null;
  hostStartedAt: string | null;
  /** Hooks of this session were heard. */
  isHooked: boolean;
  /** When it ended, epoch ms; null while it goes on. */
  endedAt: number | null;
  /** Rows of transcripts older than this (epoch ms) are not this recording's. */
  since: number;
  /** Since when hooks tell of it, epoch ms; 0 for its own start. */
  firstHookAt: number;
  /** When something was heard of it last, epoch ms. */
  lastAt: number;
  transcriptPath: RedactedText | null;
  /** The proxies that served it. */
  proxies: ProxyProcess[];
}

/** How far a transcript was read and all of it written down. */
export interface TranscriptPosition {
  offset: number;
  /** Of the newest row before it, epoch ms. */
  lastAt: number;
}

export interface BackgroundWork {
  runId: RedactedText;
  isAgent: boolean;
}

/** From `at` (epoch ms) on the main agent worked on this run. */
export interface Turn {
  at: number;
  runId: RedactedText;
}

export interface ProxyProcess {
  pid: number;
  processStartedAt: string;
}

export interface Untold {
  /** Hooks that could not be read. */
  hooks: number;
  /** Rows of transcripts that could not be read. */
  rows: number;
  /** Calls that the host made for hooks of its own. */
  hostHookCalls: number;
}

/** The state of a session of which nothing is known yet. */
export function freshSession(key: string, sessionId: RedactedText | null, cwd: RedactedText, at: number): SessionState {
  return {
    about: {
      key,
      sessionId,
      app: null,
      appVersion: null,
      cwd,
      firstCwd: cwd,
      projectDir: null,
      hostPid: null,
      hostStartedAt: null,
      isHooked: false,
      endedAt: null,
      since: at,
      firstHookAt: at,
      lastAt: at,
      transcriptPath: null,
      proxies: [],
    },
    positions: {},
    agents: {},
    tasks: {},
    tasksListedAt: 0,
    turns: [],
    onWire: {},
    untold: { hooks: 0, rows: 0, hostHookCalls: 0 },
    runs: [],
  };
}
