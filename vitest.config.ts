import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/hosts/**", "node_modules/**"],
    pool: "forks",
    globalSetup: ["test/harness/global-setup.ts"],
    setupFiles: ["test/harness/same-cases.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
