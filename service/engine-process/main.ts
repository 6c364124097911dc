import { serveEngine } from '../../data/lake/engine/process/serve.ts';

/**
 * An engine process: runs the statements of the service and the file jobs sent by its parent, and ends when
 * the parent does. Everything it may use comes over the channel, never from the environment.
 */
serveEngine(
  {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on('message', listener),
    onParentGone: (listener) => process.on('disconnect', listener),
  },
  // Loaded only in processes that read files.
  async (engine, settings) =>
    (await import('../../domain/intake/file-imports/jobs.ts')).fileJobs(engine, settings),
);
