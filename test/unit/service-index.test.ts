/** The service's index: kept current beside what is asked, and done without where it cannot be used. */

import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { HitPage, RunItem, RunPage } from "../../src/core/service-wire.ts";
import { IndexKeeper } from "../../src/service/archive/index-keeper.ts";
import { eventfulRun, RUN_A, RUN_B, RunWriter, T0, TestCli, text } from "./cli-fixture.ts";
import { KeptLog } from "./control-fixture.ts";
import { TestService } from "./service-fixture.ts";

describe("the index", () => {
  test("is made, and kept current, without anybody asking", async () => {
    const service = new TestService();
    service.cli.record(eventfulRun());
    await vi.waitFor(() => expect(existsSync(join(service.home, "search.db"))).toBe(true), 5000);
    await vi.waitFor(async () => {
      expect(await service.json<RunPage>("/api/runs")).toMatchObject({ index: { isCurrent: true, done: 1 } });
    }, 5000);
    expect(await service.json<RunItem>(`/api/runs/${RUN_A}`)).toMatchObject({ errorCount: 2, lostCount: 0 });
    expect(await service.json("/api/facets")).toMatchObject({
      tools: expect.arrayContaining([{ value: "echo", runs: 1 }]),
    });
  });

  test("has in it what was recorded right before it is asked", async () => {
    const service = new TestService();
    service.cli.record(new RunWriter(RUN_A, T0).call("echo", '{"message":"marigold"}', text("x"), 1).end());
    expect(await service.json<HitPage>("/api/search?q=marigold")).toMatchObject({ hits: [{ run: { id: RUN_A } }] });
    service.cli.record(new RunWriter(RUN_B, T0).call("echo", '{"message":"hyacinth"}', text("x"), 1).end());
    expect(await service.json<HitPage>("/api/search?q=hyacinth")).toMatchObject({ hits: [{ run: { id: RUN_B } }] });
    await service.ask(`/api/runs/${RUN_B}`, { method: "DELETE" });
    expect(await service.json<HitPage>("/api/search?q=hyacinth")).toMatchObject({ hits: [] });
  });

  test("never makes a store", async () => {
    const service = new TestService();
    await service.json("/api/runs");
    expect(existsSync(join(service.home, "recordings.db"))).toBe(false);
    expect(existsSync(join(service.home, "search.db"))).toBe(false);
  });
});

describe("DEG-23 an index that cannot be used", () => {
  test("is done without, which is said once, and tried again a minute later", () => {
    const { home } = new TestCli().record(eventfulRun());
    const log = new KeptLog();
    let now = 0;
    const keeper = new IndexKeeper(home, log, () => now);
    onTestFinished(() => keeper.stop());
    mkdirSync(join(home, "search.db"));
    for (let i = 0; i < 3; i++) expect(keeper.catchUp()).toEqual({ isCurrent: false, done: 0 });
    expect(keeper.index).toBeNull();
    expect(log.lines).toEqual([expect.stringMatching(/^the search index cannot be used, .* \(DEG-23\): /)]);
    rmSync(join(home, "search.db"), { recursive: true });
    now += 59_999;
    expect(keeper.catchUp().isCurrent).toBe(false);
    now += 1;
    let state = keeper.catchUp();
    for (let i = 0; i < 100 && !state.isCurrent; i++) state = keeper.catchUp();
    expect(state).toEqual({ isCurrent: true, done: 1 });
    expect(log.lines).toHaveLength(1);
  });

  test("keeps no question from being answered", async () => {
    const service = new TestService();
    service.cli.record(eventfulRun());
    mkdirSync(join(service.home, "search.db"));
    const page = await service.json<RunPage>("/api/runs?q=numbers");
    expect(page).toMatchObject({
      runs: [{ id: RUN_A, tools: null, errorCount: null }],
      index: { isCurrent: false, done: 0 },
    });
    expect(await service.json<HitPage>("/api/search?q=numbers")).toMatchObject({ hits: [{ field: "prompt" }] });
    expect(await service.json("/api/facets")).toMatchObject({ hosts: [{ value: "claude-code", runs: 1 }], tools: [] });
    for (const path of [`/api/runs/${RUN_A}`, `/api/runs/${RUN_A}/events`, "/api/live"]) {
      const answer = await service.ask(path);
      expect([path, answer.status]).toEqual([path, 200]);
      await answer.body?.cancel();
    }
    chmodSync(join(service.home, "search.db"), 0o700);
  });
});
