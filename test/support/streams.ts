import { connect, type Socket } from 'node:net';
import type { TestClient, Workspace } from './workspace.ts';

export interface RawStream {
  socket: Socket;
  /** All bytes so far, headers and chunk lengths included. */
  received(): Buffer;
  /** Resolves when the connection is closed. */
  closed: Promise<void>;
}

/** Queries whose answers are streamed by a real server. */
export async function streaming(workspace: Workspace, client: TestClient) {
  const { port } = new URL(await workspace.listen());
  const path = '/v1/query-executions';
  const authorization = `Bearer ${await client.token()}`;
  return {
    fetched: (accept: string, body: object, signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { accept, authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: signal ?? null,
      }),
    /** The same over a socket of one's own. */
    raw(accept: string, body: object): RawStream {
      const socket = connect(Number(port), '127.0.0.1');
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part));
      socket.on('error', () => undefined);
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      const text = JSON.stringify(body);
      const head = [
        `POST ${path} HTTP/1.1`,
        'host: localhost',
        `accept: ${accept}`,
        `authorization: ${authorization}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(text)}`,
        'connection: close',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
      return { socket, received: () => Buffer.concat(parts), closed };
    },
    record: async (id: string) => (await client.call('GET', `${path}/${id}`)).body.data,
    latest: async () => (await client.call('GET', `${path}?limit=1`)).body.items[0],
  };
}
