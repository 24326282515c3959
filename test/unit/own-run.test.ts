/** A run that a proxy writes by itself: what becomes of it at the end. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { storePath } from "../../src/kit/paths.ts";
import { OwnRun } from "../../src/proxy/tiers/own-run.ts";
import { redactText, trustedJson, trustedText } from "../../src/redact/redact.ts";
import { StoreReader } from "../../src/store/reader.ts";

const home = mkdtempSync(join(tmpdir(), "bir-own-run-"));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

test("a store that takes it gets all of it, though there is no time left", async () => {
  vi.stubEnv("BIR_HOME", home);
  const run = new OwnRun({ serverName: "files", cwd: home, processStartedAt: "boot/1", sessionId: null });
  const at = Date.now();
  for (let n = 0; n < 1_000; n++) {
    const call = run.assembler.openCall({
      server: trustedText("files"),
      tool: redactText("read"),
      qualifiedName: trustedText("mcp__files__read"),
      args: trustedJson(`{"n":${n}}`),
      truncated: false,
      callId: null,
      hostMeta: null,
      startedAt: at + n,
    });
    run.assembler.closeCall(call, {
      status: "ok",
      result: trustedJson("{}"),
      error: null,
      isError: false,
      rpcError: null,
      truncated: false,
      join: null,
      legs: 1,
      waitingMs: 0,
      progress: 0,
      endedAt: at + n,
    });
  }
  const { runId } = run.assembler;
  run.assembler.closeRun("completed", at + 1_000);
  await run.close(0);
  const reader = StoreReader.open(storePath(home), () => true);
  const recorded = reader.run(runId ?? "");
  reader.close();
  expect([recorded?.status, recorded?.gaps, recorded?.steps.length]).toEqual(["completed", [], 1_000]);
});
