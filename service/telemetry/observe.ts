import { totalmem } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type Attributes, metrics, type ObservableResult } from '@opentelemetry/api';
import { countFailing } from '../../data/processes/failing.ts';
import { type Probes, readinessOf } from '../../data/readiness.ts';
import { declared, scopeName } from '../../data/telemetry/instruments.ts';
import type { OpenService } from '../open.ts';
import { kept } from './kept.ts';
import { largestOrganizations } from './organization-bytes.ts';

const readinessMs = 10_000;
const failingMs = 30_000;
const bytesMs = 300_000;

type Observe = (result: ObservableResult<Attributes>) => void | Promise<void>;

/** What is looked at only when somebody asks for metrics. */
function observed(name: string, unit: string, description: string, observe: Observe): void {
  declared(name, 'gauge', unit, description);
  metrics.getMeter(scopeName).createObservableGauge(name, { unit, description }).addCallback(observe);
}

export interface Observer {
  /** Asks the stores no more, which may then be closed. */
  stop(): Promise<void>;
}

/** Observes a process of the service; call it once, after telemetry has started. */
export function observe(
  { service, pools }: Pick<OpenService, 'service' | 'pools'>,
  probes: Probes,
): Observer {
  observeProcess();
  observePools(service);
  observeConnections(pools);
  const readiness = kept(readinessMs, () => readinessOf(probes));
  observed(
    'workspace.dependency.up',
    '{dependency}',
    'Whether a dependency answers: 1 for yes, 0 for no.',
    async (result) => {
      for (const [dependency, state] of Object.entries((await readiness.look())?.dependencies ?? {}))
        result.observe(state === 'up' ? 1 : 0, { dependency });
    },
  );
  return { stop: readiness.end };
}

/** What is the same seen from every process; workers look. */
export function observeDeployment({ service }: Pick<OpenService, 'service'>): Observer {
  const failing = kept(failingMs, () => countFailing(service.db));
  observed(
    'workspace.process.failing',
    '{process}',
    'Runs that fail and make no progress, by kind.',
    async (result) => {
      const counted = await failing.look();
      if (counted === undefined) return;
      result.observe(
        Object.values(counted).reduce((sum, count) => sum + count, 0),
        { kind: 'all' },
      );
      for (const [kind, count] of Object.entries(counted)) result.observe(count, { kind });
    },
  );
  const largest = kept(bytesMs, () => largestOrganizations(service.lake.catalogPool));
  observed(
    'workspace.organization.stored',
    'By',
    'Bytes of files and current tables, for the 20 organizations that store the most.',
    async (result) => {
      for (const { id, bytes } of (await largest.look()) ?? []) result.observe(bytes, { organization: id });
    },
  );
  return {
    async stop() {
      await Promise.all([failing.end(), largest.end()]);
    },
  };
}

function observeProcess(): void {
  observed('process.memory.usage', 'By', 'Resident memory of the process, excluding its engines.', (result) =>
    result.observe(process.memoryUsage.rss()),
  );
  observed(
    'workspace.memory.limit',
    'By',
    'Memory of the container, or of the machine if there is no container.',
    (result) => {
      const limit = process.constrainedMemory();
      result.observe(limit > 0 && limit < totalmem() ? limit : totalmem());
    },
  );
  let last = performance.eventLoopUtilization();
  observed('nodejs.eventloop.utilization', '1', 'Share of time that the event loop was busy.', (result) => {
    const now = performance.eventLoopUtilization();
    result.observe(performance.eventLoopUtilization(now, last).utilization);
    last = now;
  });
}

function observePools(service: OpenService['service']): void {
  const all = {
    engine: service.lake.engine,
    staging: service.staging,
    query: service.queries,
    build: service.builds,
  };
  const members = [
    ['workspace.pool.limit', 'processes', 'limit', 'Processes that a pool keeps ready.'],
    ['workspace.pool.size', 'processes', 'processes', 'Processes in a pool.'],
    ['workspace.pool.busy', 'processes', 'busy', 'Busy processes in a pool.'],
    ['workspace.pool.queue', 'jobs', 'waiting', 'Jobs waiting for a process in a pool.'],
  ] as const;
  for (const [name, what, member, description] of members)
    observed(name, what === 'jobs' ? '{job}' : '{process}', description, (result) => {
      for (const [pool, { load }] of Object.entries(all)) result.observe(load()[member], { pool });
    });
}

function observeConnections(pools: OpenService['pools']): void {
  const nameOf = (pool: string) => ({ 'db.client.connection.pool.name': pool });
  observed(
    'db.client.connection.count',
    '{connection}',
    'Connections to PostgreSQL, by pool and state.',
    (result) => {
      for (const [name, pool] of Object.entries(pools)) {
        const state = 'db.client.connection.state';
        result.observe(pool.idleCount, { ...nameOf(name), [state]: 'idle' });
        result.observe(pool.totalCount - pool.idleCount, { ...nameOf(name), [state]: 'used' });
      }
    },
  );
  observed(
    'db.client.connection.max',
    '{connection}',
    'Maximum number of connections in a pool.',
    (result) => {
      for (const [name, pool] of Object.entries(pools)) result.observe(pool.options.max, nameOf(name));
    },
  );
  observed(
    'db.client.connection.pending_requests',
    '{request}',
    'Requests waiting for a connection to PostgreSQL, by pool.',
    (result) => {
      for (const [name, pool] of Object.entries(pools)) result.observe(pool.waitingCount, nameOf(name));
    },
  );
}
