import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface HttpReceiver {
  url: string;
  /** Complete requests, whatever was answered. */
  received: Received[];
  /** Answers the next requests in order; the last one also answers later ones. */
  answers: ((response: ServerResponse) => unknown)[];
  close(): Promise<void>;
}

export const answerWith =
  (status: number, text = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(text);

/** A server on loopback that accepts any POST. */
export async function startHttpReceiver(): Promise<HttpReceiver> {
  const received: Received[] = [];
  const receiver = { received, answers: [answerWith(200, 'ok')] } as unknown as HttpReceiver;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    received.push({ headers: request.headers, body });
    const answer = receiver.answers.length > 1 ? receiver.answers.shift()! : receiver.answers[0]!;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/sales`;
  receiver.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return receiver;
}
