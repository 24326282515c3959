import { z } from "zod";
import { noteSchema, runSummarySchema, stepSchema } from "./run.ts";

/** The `--json` shapes of every command but those that print runs (see run.ts), pinned in the same way. */

const epochMs = z.int().nonnegative();
const count = z.int().nonnegative();

const problemFields = z.strictObject({ code: z.string().min(1), message: z.string().min(1), hint: z.string().min(1) });

/** What any command prints with `--json` when it fails. */
export const problemSchema = z.strictObject({ error: problemFields });

/** A line of `bir run export --format ndjson`: the run first, then its steps and notes in order. */
export const exportLineSchema = z.discriminatedUnion("type", [
  runSummarySchema.extend({ type: z.literal("run") }),
  stepSchema.extend({ type: z.literal("step") }),
  noteSchema.extend({ type: z.literal("note") }),
]);

/** `bir run search --json`. `path` is the value the excerpt is of, such as `result.content[0].text`; `marks` are UTF-16 offsets into `text`, end excluded. */
export const searchSchema = z.array(
  z.strictObject({
    runId: z.string(),
    startedAt: epochMs,
    step: z
      .strictObject({ id: z.string(), index: count, seq: count, server: z.string().nullable(), tool: z.string() })
      .nullable(),
    field: z.enum(["prompt", "answer", "note", "tool", "arguments", "result", "error"]),
    path: z.string().min(1),
    excerpt: z.strictObject({
      text: z.string(),
      marks: z.array(z.strictObject({ start: count, end: count })),
    }),
  }),
);

/** `bir run delete --json`. `kept` are runs that are being recorded; `wiped`: nothing of the deleted is left in a file. */
export const deletionSchema = z.strictObject({
  deleted: z.array(z.string()),
  kept: z.array(z.string()),
  wiped: z.boolean(),
});

/** `bir on --json`, `bir off --json`. */
export const switchesSchema = z.strictObject({
  recording: z.boolean(),
  everywhere: z.boolean(),
  directory: z.string().nullable(),
  environment: z.boolean(),
});

/**
 * The control server, in `bir status --json`. `silent`: its process is there and does not answer. `down`: nothing starts it
 * until `bir up`. Times and counts are null unless it is `running`.
 */
const serverSchema = z.strictObject({
  state: z.enum(["running", "silent", "absent"]),
  down: z.boolean(),
  url: z.string().nullable(),
  pid: z.int().nullable(),
  version: z.string().nullable(),
  startedAt: epochMs.nullable(),
  sessions: count.nullable(),
  proxies: count.nullable(),
  openRuns: count.nullable(),
});

/** Reports that found no server and wait for one; `unreadable` are files of what the server could not read and kept. */
const spoolSchema = z.strictObject({
  files: count,
  sizeBytes: count,
  oldestAt: epochMs.nullable(),
  unreadable: count,
});

/**
 * The recordings service that is sent to. `url` null: the settings name one that cannot be used. `trouble` in words. `waitingEvents`
 * is about: what is recorded just now may or may not be among it. `refusals`: the last of what was refused for good, newest first;
 * `row` is the run's own id where all of it was, and `status` null where no answer was ever given.
 */
const serviceSchema = z.strictObject({
  url: z.string().nullable(),
  signedIn: z.boolean(),
  since: epochMs,
  waitingRuns: count,
  waitingEvents: count,
  lastSuccessAt: epochMs.nullable(),
  trouble: z.string().nullable(),
  nextTryAt: epochMs.nullable(),
  refused: count,
  refusals: z.array(z.strictObject({ runId: z.string(), row: z.string(), status: z.int().nullable(), at: epochMs })),
});

/** `bir login --json`, `bir whoami --json`. `since`: runs that began before are not sent; `status`: of HTTP, null without an answer. */
export const loginSchema = z.strictObject({
  url: z.string(),
  since: epochMs,
  meeting: z.enum(["reached", "refused", "odd", "unreachable"]),
  isBir: z.boolean(),
  status: z.int().nullable(),
  words: z.string().min(1),
});

/** `bir logout --json`: the service that was left. */
export const logoutSchema = z.strictObject({ url: z.string().nullable() });

/** `bir up --json`. `token` lets a program tell the server of its own calls. */
export const upSchema = z.strictObject({
  url: z.string(),
  token: z.string(),
  pid: z.int(),
  startedAt: epochMs,
  version: z.string(),
  alreadyRunning: z.boolean(),
});

/** `bir down --json`. `silent`: one is there that does not answer; it was not stopped, and goes once it can. */
export const downSchema = z.strictObject({
  server: z.enum(["stopped", "none", "silent"]),
  pid: z.int().nullable(),
  killed: z.boolean(),
});

/** `bir status --json`. `problem` with code `home-unusable`: nothing can be recorded; any other: the store is in trouble. */
export const statusSchema = z.strictObject({
  home: z.string(),
  switches: switchesSchema,
  store: z.strictObject({
    path: z.string(),
    exists: z.boolean(),
    sizeBytes: count,
    version: count.nullable(),
    runs: count,
    steps: count,
  }),
  problem: problemFields.nullable(),
  wrapped: z
    .array(z.strictObject({ host: z.string(), name: z.string(), servers: z.array(z.string()), hooks: z.boolean() }))
    .nullable(),
  server: serverSchema,
  spool: spoolSchema,
  page: z.strictObject({ url: z.string(), pid: z.int() }).nullable(),
  service: serviceSchema.nullable(),
  recordings: z.array(
    z.strictObject({
      runId: z.string(),
      pid: z.int(),
      host: z.strictObject({ app: z.string(), version: z.string().nullable() }).nullable(),
      servers: z.array(z.string()),
      cwd: z.string(),
      startedAt: epochMs,
      stepCount: count,
    }),
  ),
  lossyRuns: z.array(z.strictObject({ runId: z.string(), startedAt: epochMs, lost: count })),
});

const serverReportSchema = z.strictObject({
  name: z.string(),
  what: z.enum([
    "wrapped",
    "renewed",
    "already",
    "left",
    "unwrapped",
    "taken-out",
    "gone",
    "conflict",
    "kept",
    "unknown",
  ]),
  scope: z.enum(["user", "project", "local"]).nullable(),
  directory: z.string().nullable(),
  file: z.string(),
  line: z.int().positive().nullable(),
  copy: z.boolean(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
});

/**
 * `bir install --json`, `bir uninstall --json`. With `--dry-run` it is what would be. `copy`: it is about a wrapped copy in `file`
 * that the host uses in place of a shared entry. `problems`: files in which nothing could be done.
 */
const reportFields = {
  dryRun: z.boolean(),
  hosts: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      verified: z.boolean(),
      reload: z.string(),
      servers: z.array(serverReportSchema),
      hooks: z.array(
        z.strictObject({
          what: z.enum(["hooked", "already", "left", "unhooked", "gone", "conflict", "skipped"]),
          scope: z.enum(["user", "project", "local"]).nullable(),
          file: z.string().nullable(),
          reason: z.string().nullable(),
          shownByGit: z.boolean(),
        }),
      ),
    }),
  ),
  problems: z.array(problemFields.extend({ file: z.string().nullable() })),
  changed: z.array(z.string()),
  diffs: z.array(z.strictObject({ file: z.string(), diff: z.string() })).nullable(),
};

/** `directory`: entries for the whole user record there and below; null: everywhere. `missing`: hosts that are not there. */
export const installSchema = z.strictObject({
  ...reportFields,
  directory: z.string().nullable(),
  missing: z.array(z.strictObject({ id: z.string(), name: z.string(), file: z.string().nullable() })),
});

/** `elsewhere`: files that have something of ours and do not concern this directory. */
export const uninstallSchema = z.strictObject({ ...reportFields, elsewhere: count });

/** `bir wrap --json`. `text` is a whole file, `entry` the part that is the server's. */
export const wrapSchema = z.strictObject({
  host: z.string().nullable(),
  format: z.enum(["json", "json-comments", "jsonc", "toml", "yaml"]),
  text: z.string(),
  entry: z.unknown(),
  advice: z.string(),
});

/** `bir doctor --json`. */
export const doctorSchema = z.strictObject({
  ok: z.boolean(),
  findings: z.array(
    z.strictObject({
      check: z.string().regex(/^[a-z-]+$/),
      severity: z.enum(["ok", "info", "warning", "error"]),
      message: z.string().min(1),
      hint: z.string().min(1).nullable(),
    }),
  ),
});
