import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedCall {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What the receiver does with a call. */
export type ReceiverAnswer =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Closes the connection before reading anything, or after the complete call. */
  | { cut: 'before' | 'after' }
  /** Accepts the call and does not answer. */
  | 'silence';

export interface HttpReceiver {
  url: string;
  /** Read at every call, so that a test may change it. */
  answer: ReceiverAnswer;
  /** What it has received completely, whether or not its client knows. */
  calls: ReceivedCall[];
  close(): Promise<void>;
}

/** A server on loopback that accepts POSTs. */
export async function startHttpReceiver(): Promise<HttpReceiver> {
  const sockets = new Set<Socket>();
  const receiver: HttpReceiver = {
    url: '',
    answer: { status: 200, body: 'ok' },
    calls: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  const server = createServer(async (request, response) => {
    const { answer } = receiver;
    if (typeof answer === 'object' && 'cut' in answer && answer.cut === 'before') {
      request.socket.destroy();
      return;
    }
    receiver.calls.push({ headers: request.headers, body: await buffer(request) });
    if (answer === 'silence') return;
    if ('cut' in answer) request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body ?? '');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
