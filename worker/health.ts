import { createServer } from 'node:http';
import { type Probes, readinessOf } from '../data/readiness.ts';
import { release } from '../data/release.ts';
import { exitWith, explainListening } from '../service/doctor/at-start.ts';

/** Answers /healthz and /readyz, for orchestrators. */
export async function serveHealth(port: number, host: string, probes: Probes): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '').then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(body));
    });
  });

  async function answer(url: string): Promise<{ status: number; body: object }> {
    const [path] = url.split('?');
    if (path === '/healthz') return { status: 200, body: { status: 'ok', release } };
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
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
