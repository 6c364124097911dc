import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Each file has its own database and engine; beyond the two that a pair of cores runs, one fills the time
    // they wait.
    maxWorkers: 3,
    // For tests that hang: a busy machine takes ten times as long as an idle one.
    testTimeout: 600_000,
    // A second is short where two cores run everything.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 600_000,
    teardownTimeout: 30_000,
    // The Temporal client may retry a call by a timer after its connection was closed, when the file that
    // made the call has ended.
    onUnhandledError: ({ message, stack }) =>
      message !== 'Channel has been shut down' || stack?.includes('grpc-retry') !== true,
  },
});
