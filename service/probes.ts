import type { Probes } from '../data/readiness.ts';
import { schemaState } from '../migrations/state.ts';
import type { OpenService } from './open.ts';

/** What every process of the service depends on. */
export function serviceProbes({ service, pool, temporal }: OpenService): Probes {
  const { catalogPool, engine } = service.lake;
  let isMigrated = false;
  return {
    // A session that cannot become the service's role is refused, and so is not up.
    postgres: () => pool.query('SELECT 1'),
    async schema() {
      // Migrations are never taken back while a process runs.
      if (isMigrated) return;
      const { missing } = await schemaState(catalogPool);
      if (missing.length > 0) throw new Error(`The migration ${missing[0]} is missing.`);
      isMigrated = true;
    },
    engine() {
      if (!engine.isAble() || !service.queries.isAble()) throw new Error('No engine has started yet.');
    },
    objectStore: () => service.objects.ping(),
    temporal: () =>
      temporal.withDeadline(Date.now() + 1_500, () => temporal.workflowService.getSystemInfo({})),
  };
}
