import { type CheckedBody, checkBody } from "../../core/api/check-body.ts";
import {
  type CheckedRow,
  finishBodySchema,
  patchBodySchema,
  rowSchema,
  rowsSchema,
  runBodySchema,
} from "../../core/api/recordings.ts";
import type { Owner } from "../../core/run.ts";
import { processStartedAt } from "../../kit/process-identity.ts";
import type { StoreError } from "../../store/store-error.ts";
import { addRows } from "./add-rows.ts";
import { invalid, type ReceivedBody, type RecordingsAnswer } from "./answer.ts";
import type { Batch } from "./batch.ts";
import { CommitQueue } from "./commit-queue.ts";
import { createRun } from "./create-run.ts";
import { finishRun } from "./finish-run.ts";
import { MemberTexts, memberTexts } from "./member-texts.ts";
import { patchRow } from "./patch-row.ts";
import { ReceivingStore } from "./receiving-store.ts";

/**
 * The write side of the recordings contract: what any recorder sends of its runs goes into the store's journal. Checks bodies,
 * and answers once what they say is committed. Knows nothing of HTTP or of who may ask; never quotes a body.
 */

export interface RecordingsOptions {
  /** Of the store; it is made with the first write. */
  path: string;
  /** The serving process. */
  owner?: Owner;
  /** The store fails, or works again (null). */
  onTrouble?: (trouble: StoreError | null) => void;
  /** A fault of ours. */
  onFault?: (cause: unknown) => void;
  /** Epoch ms. */
  now?: () => number;
}

export class Recordings {
  readonly #store: ReceivingStore;
  readonly #queue: CommitQueue<Batch>;

  constructor(options: RecordingsOptions) {
    const { pid } = process;
    const now = options.now ?? Date.now;
    const owner = options.owner ?? { pid, startedAt: processStartedAt(pid) ?? "unknown" };
    const store = new ReceivingStore(options.path, owner, now);
    this.#store = store;
    this.#queue = new CommitQueue<Batch>({
      commit: (writes) => store.commit(writes),
      tidy: () => store.checkpoint(),
      onTrouble: (trouble) => {
        if (trouble !== null) store.letGo();
        options.onTrouble?.(trouble);
      },
      onFault: options.onFault ?? (() => {}),
      now,
    });
  }

  /** True while so much waits that a body had better not be read at all: answer 503, with `retry-after: 1`. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /** `POST /recordings/runs` */
  createRun(body: ReceivedBody): Promise<RecordingsAnswer> {
    return this.#take(body, checkBody(runBodySchema, body.value), (batch, run) => createRun(batch, run));
  }

  /** `POST /recordings/runs/:runId/steps` */
  addSteps(runId: string, body: ReceivedBody): Promise<RecordingsAnswer> {
    return this.#take(body, checkSteps(body.value), (batch, steps) => {
      const texts = memberTexts(body.text);
      const rows = Array.isArray(steps) ? steps : [steps];
      const told = rows.map((row, index) => ({ row, texts: texts[index] ?? NO_MEMBERS }));
      return addRows(batch, runId, told, Array.isArray(steps));
    });
  }

  /** `PATCH /recordings/runs/:runId/steps/:stepId`, whose `stepId` is the id of a row. */
  patchStep(runId: string, stepId: string, body: ReceivedBody): Promise<RecordingsAnswer> {
    return this.#take(body, checkBody(patchBodySchema, body.value), (batch, patch) =>
      patchRow(batch, runId, stepId, patch, new MemberTexts(body.text)),
    );
  }

  /** `POST /recordings/runs/:runId/finish` */
  finishRun(runId: string, body: ReceivedBody): Promise<RecordingsAnswer> {
    return this.#take(body, checkBody(finishBodySchema, body.value), (batch, finish) =>
      finishRun(batch, runId, finish),
    );
  }

  /** Takes nothing more, commits what waits, and lets go of the store. Runs that were not finished read as abandoned then. */
  async close(): Promise<void> {
    await this.#queue.close();
    this.#store.letGo();
  }

  #take<T>(
    { text }: ReceivedBody,
    checked: CheckedBody<T>,
    apply: (batch: Batch, value: T) => RecordingsAnswer,
  ): Promise<RecordingsAnswer> {
    if (!checked.isGood) return Promise.resolve(invalid(checked.issues));
    return this.#queue.add({ size: text.length, apply: (batch) => apply(batch, checked.value) });
  }
}

/** Of a body that is an array only the rows are told of, not that it is no single row. */
function checkSteps(value: unknown): CheckedBody<CheckedRow | CheckedRow[]> {
  return Array.isArray(value) ? checkBody(rowsSchema, value) : checkBody(rowSchema, value);
}

const NO_MEMBERS = new MemberTexts("{}");
