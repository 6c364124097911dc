import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Probes, readinessOf } from '../data/readiness.ts';
import { release } from '../data/release.ts';
import { exitWith, explainListening } from '../service/doctor/at-start.ts';
import { scrapeType } from '../service/telemetry/scrape.ts';

interface Health {
  port: number;
  close(): Promise<void>;
}

/** Answers /healthz, /readyz and /metrics, for orchestrators and those who watch. */
export async function serveHealth(
  port: number,
  host: string,
  { probes, metrics }: { probes: Probes; metrics: () => Promise<string> },
): Promise<Health> {
  const server = createServer((request, response) => {
    answer(request.url ?? '').then(
      ({ status, body }) => {
        const type = typeof body === 'string' ? scrapeType : 'application/json';
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      },
      () => response.writeHead(500).end(),
    );
  });

  async function answer(url: string): Promise<{ status: number; body: object | string }> {
    const [path] = url.split('?');
    if (path === '/healthz') return { status: 200, body: { status: 'ok', release } };
    if (path === '/metrics') return { status: 200, body: await metrics() };
    if (path !== '/readyz') return { status: 404, body: { status: 'unknown' } };
    const { isUsable, status, dependencies } = await readinessOf(probes);
    return { status: isUsable ? 200 : 503, body: { status, dependencies } };
  }

  server.requestTimeout = 10_000;
  server.maxConnections = 64;
  await new Promise<void>((resolve) => {
    server.once('error', (error) => exitWith(explainListening(error, { port, variable: 'HEALTH_PORT' })));
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
