import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to PostgreSQL that can delay a COMMIT, even after its sender has gone. */
export interface CommitDelay {
  /** The address with the proxy's port. */
  databaseUrl: string;
  /** Delays the next COMMIT of a lake's snapshot; resolves when it has arrived. */
  holdNext(): Promise<void>;
  /** Lets it through. */
  letGo(): void;
  close(): Promise<void>;
}

export async function startCommitDelay(databaseUrl: string): Promise<CommitDelay> {
  const url = new URL(databaseUrl);
  const target = { host: url.hostname, port: Number(url.port), allowHalfOpen: true };
  const sockets = new Set<Socket>();
  let held: { came: () => void; rest: (() => void) | undefined } | undefined;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(target);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    far.pipe(near);
    let isHeld = false;
    let hasChanges = false;
    near.on('data', (bytes: Buffer) => {
      hasChanges ||= bytes.includes('.ducklake_snapshot_changes VALUES');
      if (held === undefined || held.rest !== undefined || !hasChanges || !isCommit(bytes)) {
        if (!isHeld) far.write(bytes);
        return;
      }
      isHeld = true;
      held.rest = () => far.end(bytes);
      held.came();
    });
    // Data sent before the end is forwarded first.
    near.on('end', () => isHeld || far.end());
    near.on('close', () => isHeld || far.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String((server.address() as AddressInfo).port);
  return {
    databaseUrl: url.href,
    holdNext: () =>
      new Promise((came) => {
        held = { came, rest: undefined };
      }),
    letGo: () => held?.rest?.(),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** A simple query that contains only COMMIT, as the engine's connections send it. */
function isCommit(bytes: Buffer): boolean {
  return bytes[0] === 'Q'.charCodeAt(0) && bytes.subarray(5, -1).toString() === 'COMMIT';
}
