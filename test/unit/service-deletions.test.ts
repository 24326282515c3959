/** Deleting with a way back: hidden at once, gone later, shown again where it was taken back or could not be done. */

import { describe, expect, test, vi } from "vitest";
import type { LiveMessages, PendingDeletion, RunPage } from "../../src/core/service-wire.ts";
import { Deletions } from "../../src/service/deletions.ts";
import { RUN_A, RUN_B, RUN_C, RunWriter, T0 } from "./cli-fixture.ts";
import { KeptLog } from "./control-fixture.ts";
import { TestService } from "./service-fixture.ts";
import { SentEvents } from "./service-sse.ts";

type Runs = LiveMessages["runs"];

function withRuns(options: ConstructorParameters<typeof TestService>[0] = {}): TestService {
  const service = new TestService(options);
  service.cli.record(
    ...[RUN_A, RUN_B, RUN_C].map((id, i) => new RunWriter(id, T0 + i).update({ input: "hello" }).end()),
  );
  return service;
}

const remove = (service: TestService, id: string) => service.ask(`/api/runs/${id}`, { method: "DELETE" });
const restore = (service: TestService, id: string) => service.ask(`/api/runs/${id}/restore`, { method: "POST" });

describe("a deleted run", () => {
  test("is gone from every answer at once, and there again when it is taken back", async () => {
    const service = withRuns();
    const answer = await remove(service, RUN_B);
    expect(answer.status).toBe(202);
    expect((await answer.json()) as PendingDeletion).toEqual({ undoUntil: service.now + 10_000 });
    const page = await service.json<RunPage>("/api/runs");
    expect([page.total, page.runs.map(({ id }) => id)]).toEqual([2, [RUN_C, RUN_A]]);
    for (const path of ["", "/events", "/export", "/steps/x", "/notes/0"]) {
      expect((await service.ask(`/api/runs/${RUN_B}${path}`)).status, path).toBe(404);
    }
    expect((await service.ask(`/api/compare?left=${RUN_A}&right=${RUN_B}`)).status).toBe(404);
    // Asked again, it says the same.
    expect(await (await remove(service, RUN_B)).json()).toEqual({ undoUntil: service.now + 10_000 });
    expect((await restore(service, RUN_B)).status).toBe(204);
    expect(await service.json<RunPage>("/api/runs")).toMatchObject({ total: 3 });
    expect((await service.ask(`/api/runs/${RUN_B}`)).status).toBe(200);
    expect((await restore(service, RUN_B)).status).toBe(204);
    expect(service.removals).toEqual([]);
  });

  test("is removed by another process once the time is over", async () => {
    const service = withRuns({ undoMs: 5 });
    await remove(service, RUN_B);
    await vi.waitFor(() => expect(service.removals).toEqual([[RUN_B]]));
  });

  test("goes before the service does", async () => {
    const service = withRuns();
    await remove(service, RUN_A);
    await remove(service, RUN_B);
    await remove(service, RUN_C);
    await restore(service, RUN_B);
    await service.service.close();
    expect(service.removals).toEqual([[RUN_A, RUN_C]]);
  });

  test("is told to all who follow, and so is that it is back", async () => {
    const service = withRuns();
    const answer = await service.ask("/api/live");
    const stream = new SentEvents(answer.body as ReadableStream<Uint8Array>);
    await remove(service, RUN_A);
    expect((await stream.nextOf<Runs>("runs")).data).toEqual({ changed: [], removed: [RUN_A] });
    await restore(service, RUN_A);
    expect((await stream.nextOf<Runs>("runs")).data).toMatchObject({ changed: [{ id: RUN_A }], removed: [] });
    await stream.close();
  });

  test("that could not be removed is shown again", async () => {
    const service = withRuns({ undoMs: 5 });
    service.isRemoved = () => false;
    await remove(service, RUN_B);
    await vi.waitFor(() => expect(service.removals.length).toBe(1));
    await vi.waitFor(async () => expect((await service.ask(`/api/runs/${RUN_B}`)).status).toBe(200));
    expect(service.log.lines).toEqual(["a run that was to be deleted is there still: it is shown again"]);
  });

  test("cannot be taken back while it goes", async () => {
    const service = withRuns({ undoMs: 5 });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    service.isRemoved = () => promise;
    await remove(service, RUN_B);
    await vi.waitFor(() => expect(service.removals.length).toBe(1));
    const answer = await restore(service, RUN_B);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([409, "too-late"]);
    expect((await service.ask(`/api/runs/${RUN_B}`)).status).toBe(404);
    resolve(true);
  });

  test("is none that is being recorded, or that is not there", async () => {
    const service = withRuns({ isAlive: () => true });
    service.cli.record(new RunWriter("run_open", T0 + 9));
    const answer = await remove(service, "run_open");
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([409, "run-is-recorded"]);
    expect((await remove(service, "run_none")).status).toBe(404);
    expect((await restore(service, "run_none")).status).toBe(404);
    expect(await service.json<RunPage>("/api/runs")).toMatchObject({ total: 4 });
  });
});

describe("several deletions", () => {
  test("are carried out one after the other; one that fails does not keep the others", async () => {
    const removed: string[][] = [];
    let underWay = 0;
    const changes: { changed: readonly string[]; removed: string[] }[] = [];
    const deletions = new Deletions({
      remove: async (ids) => {
        expect(++underWay).toBe(1);
        await Promise.resolve();
        underWay--;
        removed.push([...ids]);
        return !ids.includes("b");
      },
      onChange: (change) => changes.push(change),
      log: new KeptLog(),
      undoMs: 100_000,
    });
    for (const id of ["a", "b", "c"]) deletions.delete(id);
    await deletions.finish();
    expect(removed).toEqual([["a", "b", "c"], ["a"], ["b"], ["c"]]);
    expect(["a", "b", "c"].map((id) => deletions.has(id))).toEqual([false, false, false]);
    expect(changes.at(-1)).toEqual({ changed: ["b"], removed: [] });
    await deletions.finish();
    expect(removed).toHaveLength(4);
  });
});
