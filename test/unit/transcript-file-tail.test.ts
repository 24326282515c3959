import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TranscriptReader } from "../../src/hooks/transcript-reader.ts";
import { openTail } from "../../src/kit/file-tail.ts";
import { promptRow } from "./transcript-fixture.ts";

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "bir-tail-"));
  path = join(directory, "session.jsonl");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("a file that another process writes", () => {
  test("is followed through appending, cutting and replacing", () => {
    const reader = new TranscriptReader({ open: () => openTail(path) });
    const ids = () => reader.poll().facts.map((fact) => fact.rowId);
    expect(reader.poll().isMissing).toBe(true);
    writeFileSync(path, promptRow("a"));
    expect(ids()).toEqual(["a"]);
    appendFileSync(path, promptRow("b"));
    expect(ids()).toEqual(["b"]);
    truncateSync(path, promptRow("a").length);
    appendFileSync(path, promptRow("c"));
    expect(ids()).toEqual(["c"]);
    writeFileSync(`${path}.new`, promptRow("a") + promptRow("d") + promptRow("e"));
    renameSync(`${path}.new`, path);
    expect(ids()).toEqual(["d", "e"]);
    rmSync(path);
    expect(reader.poll().isMissing).toBe(true);
  });

  test("is read at any place, to its end", () => {
    writeFileSync(path, "0123456789");
    const file = openTail(path);
    const into = new Uint8Array(4);
    expect(file?.sizeBytes).toBe(10);
    expect(file?.read(7, into)).toBe(3);
    expect(Buffer.from(into.subarray(0, 3)).toString()).toBe("789");
    expect(file?.read(10, into)).toBe(0);
    file?.close();
    expect(file?.read(0, into)).toBe(0);
  });

  test("is absent where there is none, a directory, or a pipe that nobody writes to", () => {
    expect(openTail(path)).toBeNull();
    expect(openTail(directory)).toBeNull();
    expect(openTail(join(path, "x"))).toBeNull();
    expect(openTail("\0")).toBeNull();
    if (process.platform !== "win32") {
      expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
      expect(openTail(path)).toBeNull();
    }
  });
});
