import { type OperatorsAnswer, type OperatorsPort, serveOperators } from '../operators-port.ts';
import { scrapeType } from './scrape.ts';

/** Answers /metrics of a process whose other routes are for tenants. */
export function serveMetrics(
  port: number,
  host: string,
  text: () => Promise<string>,
): Promise<OperatorsPort> {
  return serveOperators({ port, host, variable: 'METRICS_PORT' }, async (path): Promise<OperatorsAnswer> => {
    if (path !== '/metrics') return { status: 404, type: 'text/plain', body: '' };
    return { status: 200, type: scrapeType, body: await text() };
  });
}
