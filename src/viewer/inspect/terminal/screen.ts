/**
 * What a terminal would show of a text: lines of cells, a cursor that may go back and write over. What a text may make out
 * of little (jumps far to the right, or far down) is bounded by the length of the text. Pure.
 */

/** A line: one character a cell, and the number of its look. */
export interface ScreenLine {
  cells: string[];
  looks: number[];
}

/** How far up the cursor can go, as from the top to the bottom of a terminal. */
const SCREEN_LINES = 50;
const WIDEST_JUMP = 400;

export class Screen {
  readonly lines: ScreenLine[] = [{ cells: [], looks: [] }];
  #row = 0;
  #column = 0;
  #top = 0;
  /** Cells and lines that the text may have made without writing them. */
  #budget: number;

  constructor(textLength: number) {
    this.#budget = 2 * textLength + 10_000;
  }

  write(char: string, look: number): void {
    const line = this.#line();
    if (this.#column > line.cells.length) this.#pad(line);
    line.cells[this.#column] = char;
    line.looks[this.#column] = look;
    this.#column += 1;
  }

  newLine(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.lines.length) this.lines.push({ cells: [], looks: [] });
  }

  toLineStart(): void {
    this.#column = 0;
  }

  tab(): void {
    this.#column += 8 - (this.#column % 8);
  }

  moveBy(rows: number, columns: number): void {
    this.#toRow(this.#row + rows);
    this.#toColumn(this.#column + columns);
  }

  /** Counted from 1, as terminals do; a place that is not told stays. */
  moveTo(row: number | null, column: number | null): void {
    if (row !== null) this.#toRow(Math.max(this.#top, this.lines.length - SCREEN_LINES) + row - 1);
    if (column !== null) this.#toColumn(column - 1);
  }

  /** Erases in the line: from the cursor on, up to it, or all. */
  eraseLine(how: "rest" | "before" | "all"): void {
    const line = this.#line();
    if (how === "all" || (how === "rest" && this.#column === 0)) {
      line.cells.length = 0;
      line.looks.length = 0;
    } else if (how === "rest") {
      line.cells.length = Math.min(line.cells.length, this.#column);
      line.looks.length = line.cells.length;
    } else {
      const end = Math.min(line.cells.length, this.#column + 1);
      // Each erasing costs what it erases: a text may not have a long line erased again and again.
      this.#budget -= end;
      if (this.#budget < 0) return;
      line.cells.fill(" ", 0, end);
      line.looks.fill(0, 0, end);
    }
  }

  /** Erases below the cursor. */
  eraseBelow(): void {
    this.eraseLine("rest");
    this.lines.length = this.#row + 1;
  }

  /** A cleared screen: what was there stays above, as in a terminal's history. */
  clear(): void {
    if (this.lines.length === 1 && this.lines[0]?.cells.length === 0) return;
    this.#top = this.lines.length;
    this.#row = this.#top;
    this.#column = 0;
    this.lines.push({ cells: [], looks: [] });
  }

  #line(): ScreenLine {
    let line = this.lines[this.#row];
    if (line === undefined) {
      line = { cells: [], looks: [] };
      this.lines[this.#row] = line;
    }
    return line;
  }

  #toRow(row: number): void {
    const highest = Math.max(this.#top, this.lines.length - SCREEN_LINES);
    const wanted = Math.min(Math.max(row, highest), this.lines.length + SCREEN_LINES);
    while (this.lines.length <= wanted && this.#budget > 0) {
      this.lines.push({ cells: [], looks: [] });
      this.#budget -= 1;
    }
    this.#row = Math.min(wanted, this.lines.length - 1);
  }

  #toColumn(column: number): void {
    const farthest = Math.max(this.#line().cells.length, WIDEST_JUMP);
    this.#column = Math.max(0, Math.min(column, farthest));
  }

  #pad(line: ScreenLine): void {
    const missing = this.#column - line.cells.length;
    if (missing > this.#budget) {
      this.#column = line.cells.length;
      return;
    }
    this.#budget -= missing;
    for (let count = 0; count < missing; count++) {
      line.cells.push(" ");
      line.looks.push(0);
    }
  }
}
