/**
 * In CI, property tests take the same cases at every run, so that what fails there is the change and not the draw. Everywhere
 * else they draw new ones: what they find then is a fault to be mended.
 */

import { readFileSync } from "node:fs";
import { expect } from "vitest";

const SEED = 20_261_130;

const { testPath } = expect.getState();
if (process.env.CI !== undefined && testPath !== undefined && readFileSync(testPath, "utf8").includes('"fast-check"')) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ seed: SEED });
}
