import { defaultExclude, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** Tests about months, volumes, random kills and corpora: `npm run test:long`. All others are the short ring. */
export const longFiles = '{test,packages/*/test}/**/*.long.test.ts';

export default defineConfig({
  test: {
    include: ['{test,packages/*/test}/**/*.test.ts'],
    exclude: [...defaultExclude, longFiles],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Files of one process share their modules, and by these the stack that they use.
    isolate: false,
    // Node runs TypeScript itself, as in production.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    // Beyond the two that a pair of cores runs, one fills the time they wait.
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
