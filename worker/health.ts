import { type Probes, readinessOf } from '../data/readiness.ts';
import { release } from '../data/release.ts';
import { type OperatorsAnswer, type OperatorsPort, serveOperators } from '../service/operators-port.ts';
import { scrapeType } from '../service/telemetry/scrape.ts';

/** Answers /healthz, /readyz and /metrics, for orchestrators and those who watch. */
export function serveHealth(
  port: number,
  host: string,
  { probes, metrics }: { probes: Probes; metrics: () => Promise<string> },
): Promise<OperatorsPort> {
  return serveOperators({ port, host, variable: 'HEALTH_PORT' }, async (path) => {
    if (path === '/healthz') return json(200, { status: 'ok', release });
    if (path === '/metrics') return { status: 200, type: scrapeType, body: await metrics() };
    if (path !== '/readyz') return json(404, { status: 'unknown' });
    const { isUsable, status, dependencies } = await readinessOf(probes);
    return json(isUsable ? 200 : 503, { status, dependencies });
  });
}

const json = (status: number, body: object): OperatorsAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});
