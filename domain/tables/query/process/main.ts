import { Socket } from 'node:net';
import { serveStatements } from './serve.ts';

/**
 * A query process: runs the statements its parent sends, one at a time, and ends when the parent does. Its
 * settings come over the channel, never from the environment; pieces of streams leave by file 4.
 */
serveStatements({
  send: (message) => process.send?.(message),
  onMessage: (listener) => process.on('message', listener),
  onParentGone: (listener) => process.on('disconnect', listener),
  // It has a reader as long as there is a parent, without which the process ends.
  pieces: new Socket({ fd: 4, readable: false }).on('error', () => undefined),
});
