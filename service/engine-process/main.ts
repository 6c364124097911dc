import { serveEngine } from '../../data/lake/engine/process/serve.ts';

/**
 * An engine process: runs the service's own statements and file jobs that its parent sends, and ends when the
 * parent does. What it may use comes over the channel, never from the environment.
 */
serveEngine(
  {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on('message', listener),
    onParentGone: (listener) => process.on('disconnect', listener),
  },
  // Only those that read files load what that takes.
  async (engine, settings) =>
    (await import('../../domain/intake/file-imports/jobs.ts')).fileJobs(engine, settings),
);
