import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/hosts/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    pool: "forks",
    globalSetup: ["test/harness/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
