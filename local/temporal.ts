import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { programEnvironment } from './host-environment.ts';
import { endOrphans, runsWith } from './orphans.ts';
import { launchPart, type PartHandle, untilReady } from './part.ts';
import { keptPorts } from './ports.ts';

export type TemporalHandle = PartHandle & {
  name: 'temporal';
  port: number;
  address: string;
  namespace: string;
  uiPort: number;
  uiUrl: string;
};

export type TemporalOptions = {
  /** Directory used by this part only. */
  dataDir: string;
  logFile: string;
  /** Temporal's command line program `temporal`. */
  temporal: string;
  port?: number | undefined;
  uiPort?: number | undefined;
  /** Further dynamic configuration, values as JSON. */
  dynamicConfig?: Readonly<Record<string, string>>;
};

const namespace = 'default';
const readyTimeoutMs = 30_000;
const searchAttributes = ['OrganizationId', 'ProjectId', 'ResourceId', 'ProcessKind'];

const serverRules = {
  // Tasks waiting for a worker are dispatched by fairness key, which is the organization.
  'matching.enableFairness': 'true',
  // A process whose workflow task failed twice in a row is marked by a search attribute.
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': '2',
  // Polling is slow by default to spare a large cluster; here that would cost 75 ms per step.
  'history.transferProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxPollRPS': '2000',
};

/** Starts the dev server and its UI on loopback, with the histories stored in this data directory. */
export async function startTemporal(options: TemporalOptions): Promise<TemporalHandle> {
  const { dataDir, logFile } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const database = join(dataDir, 'temporal.db');
  await endOrphans({ isOurs: (seen) => runsWith(seen, 'temporal', database), signal: 'SIGTERM' });
  const ports = await keptPorts(dataDir, ['frontend', 'ui', 'http', 'metrics'], {
    ...(options.port === undefined ? {} : { frontend: options.port }),
    ...(options.uiPort === undefined ? {} : { ui: options.uiPort }),
  });
  const { handle } = launchPart({
    name: 'temporal',
    command: options.temporal,
    args: ['server', 'start-dev', '--db-filename', database, ...flags(ports, options.dynamicConfig)],
    environment: programEnvironment({ HOME: dataDir }),
    workingDir: dataDir,
    logFile,
    stopSignal: 'SIGTERM',
  });
  const probeUrl = `http://127.0.0.1:${ports.http}/api/v1/namespaces/${namespace}`;
  await untilReady(handle, { logFile, timeoutMs: readyTimeoutMs, probe: () => answers(probeUrl) });
  return {
    ...handle,
    name: 'temporal',
    port: ports.frontend,
    address: `127.0.0.1:${ports.frontend}`,
    namespace,
    uiPort: ports.ui,
    uiUrl: `http://127.0.0.1:${ports.ui}`,
  };
}

function flags(
  ports: { frontend: number; ui: number; http: number; metrics: number },
  dynamicConfig: Readonly<Record<string, string>> = {},
): string[] {
  const config = Object.entries({ ...serverRules, ...dynamicConfig });
  return [
    ...['--ip', '127.0.0.1', '--port', String(ports.frontend), '--ui-port', String(ports.ui)],
    ...['--http-port', String(ports.http), '--metrics-port', String(ports.metrics)],
    ...['--namespace', namespace, '--headless=false', '--log-level', 'warn', '--color', 'never'],
    ...['--disable-config-file', '--disable-config-env'],
    ...searchAttributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...config.flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
  ];
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.ok;
}
