import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitWith, explainListening } from '../doctor/at-start.ts';
import { scrapeType } from './scrape.ts';

export interface MetricsListener {
  port: number;
  close(): Promise<void>;
}

/** Answers /metrics on a port of its own, which the tenants of the public port never reach. */
export async function serveMetrics(
  port: number,
  host: string,
  text: () => Promise<string>,
): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics') return void response.writeHead(404).end();
    text().then(
      (body) =>
        response.writeHead(200, { 'content-type': scrapeType, 'cache-control': 'no-store' }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  server.requestTimeout = 10_000;
  server.maxConnections = 64;
  await new Promise<void>((resolve) => {
    server.once('error', (error) => exitWith(explainListening(error, { port, variable: 'METRICS_PORT' })));
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
