import { serveStatements } from './serve.ts';

/**
 * A query process: runs the statements its parent sends, one at a time, and ends when the parent does. Its
 * settings come over the channel, never from the environment.
 */
serveStatements({
  send: (message) => process.send?.(message),
  onMessage: (listener) => process.on('message', listener),
  onParentGone: (listener) => process.on('disconnect', listener),
});
