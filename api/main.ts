import '../data/zone-rules/use.ts';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { errorForLog } from '../data/error-log.ts';
import { lakeAddresses } from '../domain/tables/lake-credentials/attach.ts';
import { createIdentityProvider } from '../domain/workspace/people/identity-provider.ts';
import {
  configOrExit,
  examineAtStart,
  exitWith,
  explainListening,
  pauseAtStart,
} from '../service/doctor/at-start.ts';
import { previewStaging } from '../service/engine-process/open.ts';
import { openService } from '../service/open.ts';
import type { OperatorsPort } from '../service/operators-port.ts';
import { serviceProbes } from '../service/probes.ts';
import { observe } from '../service/telemetry/observe.ts';
import { serveMetrics } from '../service/telemetry/serve.ts';
import { startTelemetry } from '../service/telemetry/start.ts';
import { buildApp } from './app.ts';
import { readApiConfig } from './config.ts';
import { openPostgres } from './postgres/open.ts';

// Large bodies are memory outside the heap: without this flag, V8 marks the whole heap for every 64 MB of
// them.
setFlagsFromString('--external-memory-accounted-in-global-limit');

let stopping = false;

const config = configOrExit(() => readApiConfig(process.env));
const logger = pino({
  level: config.logLevel,
  base: { service: 'api' },
  serializers: { err: errorForLog },
  redact: ['req.headers.authorization', 'req.headers.cookie'],
});

const telemetry = await startTelemetry(config.telemetry, {
  service: 'api',
  isScraped: config.metricsPort !== undefined,
  logger,
});
const opened = await openService(config, {
  applicationName: 'api',
  maxConnections: 12,
  lakeThreads: 2,
  staging: previewStaging(config.previewProcesses),
  logger,
});
const { service, close } = opened;
await examineAtStart(config, logger);
await pauseAtStart(config, service.db, logger);
// Without the object store, the API serves routes that do not need it; the worker creates the bucket too.
void service.objects
  .ensureBucket()
  .catch((error: unknown) => logger.warn({ err: error }, 'could not check the bucket'));

const probes = serviceProbes(opened);
const observer = observe(opened, probes);
const identityProvider = config.oidc && createIdentityProvider(config.oidc);
const deps = {
  ...service,
  rateLimitPerMinute: config.rateLimitPerMinute,
  sharesRateLimits: config.sharesRateLimits,
  publicUrl: config.publicUrl,
  lakeAddresses: lakeAddresses(config),
  publicClients: config.publicClients,
  allowClientRegistration: config.allowClientRegistration,
  temporalUi: config.temporalUi,
  identityProvider,
  trustedProxies: config.trustedProxies,
  validateResponses: false,
  probes,
  isDraining: () => stopping,
};
const app = await buildApp(deps);
const postgres = await openPostgres(deps, app, config).catch((error: unknown) =>
  exitWith(explainListening(error as Error, { port: config.postgres?.port ?? 0, variable: 'PG_PORT' })),
);

let metricsListener: OperatorsPort | undefined;

/**
 * Answers requests for `drainMs` more, in which `/readyz` sends proxies elsewhere; completes those in
 * progress, then closes everything. A second signal exits at once.
 */
async function stop(drainMs: number): Promise<void> {
  if (stopping) process.exit(1);
  stopping = true;
  await setTimeout(drainMs);
  await Promise.all([app.close(), postgres?.close(), observer.stop()]);
  await identityProvider?.close();
  await telemetry.stop();
  await metricsListener?.close();
  await close();
  process.exit(0);
}

process.on('SIGTERM', () => void stop(config.drainMs));
process.on('SIGINT', () => void stop(0));
// When the supervisor ends, its channel closes; nothing else would stop this process.
process.once('disconnect', () => void stop(0));

await app
  .listen({ host: config.host, port: config.port })
  .catch((error: unknown) =>
    exitWith(explainListening(error as Error, { port: config.port, variable: 'PORT' })),
  );
if (config.metricsPort !== undefined)
  metricsListener = await serveMetrics(config.metricsPort, config.host, telemetry.text);
const address = app.server.address();
process.send?.({
  ready: true,
  port: typeof address === 'object' ? address?.port : undefined,
  metricsPort: metricsListener?.port,
  postgresPort: postgres?.port,
});
