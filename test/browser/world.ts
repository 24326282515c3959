/**
 * What the tests of one file share, because it takes time to make: a home that is filled once, the built executable's service over
 * it, and a browser that was let in once. Owns that all of it is gone at the end, and that no page of a test made a misstep.
 */

import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { listRuns } from "../harness/recorded-runs.ts";
import { Sandbox } from "../harness/sandbox.ts";
import { browser, endBrowser } from "./page-test.ts";
import { Service } from "./service.ts";
import { openPage, type WatchedPage, watchedTab } from "./watched-page.ts";

export class World {
  readonly box = new Sandbox();
  #service: Service | null = null;
  #state: BrowserContextOptions["storageState"];
  #runs: { id: string; input: string | null }[] = [];
  #opened: { watched: WatchedPage; allowed: RegExp | null }[] = [];

  get service(): Service {
    if (this.#service === null) throw new Error("before the world was made");
    return this.#service;
  }

  /** The address of a place: `#/run/…`, `/health`. */
  url(place: string): string {
    return `${this.service.url}${place.startsWith("#") ? "/" : ""}${place}`;
  }

  /** The ids of the runs whose prompt begins so, oldest first. */
  runs(prompt: string): string[] {
    return this.#runs.filter(({ input }) => input?.startsWith(prompt)).map(({ id }) => id);
  }

  /** The id of the first of them. */
  run(prompt: string): string {
    const [id] = this.runs(prompt);
    if (id === undefined) throw new Error(`no run was asked ${prompt}`);
    return id;
  }

  /** A page in a profile that was let in, at a place. */
  async open(place = "#/", options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await this.stranger({ storageState: this.#state, ...options } as BrowserContextOptions);
    await watched.page.goto(this.url(place));
    return watched;
  }

  /** A page of a browser that was never let in, nowhere yet. */
  async stranger(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await openPage(await browser(), options);
    this.#opened.push({ watched, allowed: null });
    return watched;
  }

  /** Such missteps of a page are what a test is about. */
  allow(watched: WatchedPage, pattern: RegExp): void {
    for (const opened of this.#opened) if (opened.watched === watched) opened.allowed = pattern;
  }

  /** One more tab in a page's profile. */
  async tab({ context, missteps }: WatchedPage, place: string): Promise<Page> {
    const page = await watchedTab(context, missteps);
    await page.goto(this.url(place));
    return page;
  }

  /** Learns anew which runs there are. */
  async look(): Promise<void> {
    this.#runs = (await listRuns(this.box)).toReversed();
  }

  async begin(fill: (box: Sandbox) => Promise<void>): Promise<void> {
    await fill(this.box);
    this.#service = await Service.start(this.box);
    await this.look();
    const { page, context } = await openPage(await browser());
    await page.goto(await this.service.link());
    await page.locator("h1").first().waitFor();
    this.#state = await context.storageState();
    await context.close();
  }

  /** Closes what a test opened; fails where one of its pages made a misstep. */
  async tidy(): Promise<void> {
    const opened = this.#opened;
    this.#opened = [];
    for (const { watched } of opened) await watched.context.close();
    const missteps = opened.flatMap(({ watched, allowed }) =>
      watched.missteps.filter((each) => allowed?.test(each) !== true),
    );
    expect(missteps).toEqual([]);
  }

  async end(): Promise<void> {
    await endBrowser();
    await this.#service?.stop();
    await this.box.bir(["down"]);
    await this.box.dispose();
  }
}

/** The world of a test file: made before its tests, taken down after them. */
export function world(fill: (box: Sandbox) => Promise<void>): World {
  const made = new World();
  beforeAll(() => made.begin(fill));
  afterEach(() => made.tidy());
  afterAll(() => made.end());
  return made;
}
