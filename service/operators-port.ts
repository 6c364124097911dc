import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitWith, explainListening } from './doctor/at-start.ts';

export interface OperatorsPort {
  port: number;
  close(): Promise<void>;
}

export interface OperatorsAnswer {
  status: number;
  type: string;
  body: string;
}

/**
 * Answers operators and their monitoring on a port of its own, which the tenants of the public port never
 * reach. The process ends if it may not listen there.
 *
 * @param variable the setting that the port is from
 */
export async function serveOperators(
  { port, host, variable }: { port: number; host: string; variable: string },
  answer: (path: string) => Promise<OperatorsAnswer>,
): Promise<OperatorsPort> {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    answer(path).then(
      ({ status, type, body }) =>
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  server.requestTimeout = 10_000;
  server.maxConnections = 64;
  await new Promise<void>((resolve) => {
    server.once('error', (error) => exitWith(explainListening(error, { port, variable })));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
