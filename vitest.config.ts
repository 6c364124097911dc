import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Each file has its own database and engine; more at once than cores only makes them wait for each other.
    maxWorkers: 2,
    testTimeout: 60_000,
    // A second is short where two cores run everything.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 90_000,
    teardownTimeout: 30_000,
  },
});
