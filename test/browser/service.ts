/** A running `bir view` of a sandbox, and links into it. Opens no browser itself. */

import { BIR } from "../harness/locations.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";

export class Service {
  readonly url: string;
  readonly process: RunningProcess;
  readonly #box: Sandbox;
  readonly #firstLink: string;
  #isFirst = true;

  private constructor(box: Sandbox, process: RunningProcess, { url, link }: { url: string; link: string }) {
    this.#box = box;
    this.process = process;
    this.url = url;
    this.#firstLink = link;
  }

  static async start(box: Sandbox): Promise<Service> {
    const process = box.start([BIR, "view", "--no-open", "--json", "--port", "0"]);
    return new Service(box, process, JSON.parse(await process.stdout.untilText("\n")));
  }

  /** A link that signs a browser in, once. */
  async link(): Promise<string> {
    if (this.#isFirst) {
      this.#isFirst = false;
      return this.#firstLink;
    }
    const { stdout } = await this.#box.bir(["view", "--no-open", "--json"]);
    return JSON.parse(stdout).link;
  }

  async stop(): Promise<void> {
    if (!this.process.running) return;
    this.process.signal("SIGTERM");
    const { code, signal } = await this.process.exit();
    if (code !== 0) throw new Error(`bir view ended with ${code ?? signal}: ${this.process.describe()}`);
  }
}
