/** How documents are numbered: the run's number and, in the low bits, the document's own. Pure. */

const NUMBERS_A_RUN = 2 ** 24;

/** The prompt and the answer of a run stand above all its calls and notes. */
export const PROMPT = NUMBERS_A_RUN - 1;
export const ANSWER = NUMBERS_A_RUN - 2;

/** Calls and notes of a run beyond this number are not searched. */
export const MAX_SEQ = NUMBERS_A_RUN - 3;

export function documentNumber(run: number, own: number): number {
  return run * NUMBERS_A_RUN + own;
}

export function runOf(document: number): number {
  return Math.floor(document / NUMBERS_A_RUN);
}

export function ownNumber(document: number): number {
  return document % NUMBERS_A_RUN;
}

/** The same in SQL. */
export const RUN_OF_ROWID = "rowid >> 24";

/** How a call's status is kept. */
export const STATUS = { running: 0, ok: 1, error: 2, cancelled: 3, denied: 4, lost: 5 } as const;

/** Words of ours among the words of a document: no text has them. */
export const MARK = {
  /** Between the parts of a document, so that no phrase reaches over. */
  border: "\u{e001}",
  error: "\u{e000}f",
  name: (id: number) => `\u{e000}n${id}`,
};
