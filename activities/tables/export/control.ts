import { beginExport, endExport } from '../../../domain/tables/exports/lifecycle.ts';
import type { ExportControlActivities } from '../../../workflows/tables/export/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function exportControlActivities(deps: ActivityDeps): ExportControlActivities {
  return {
    /** Safe to retry: an export that has begun keeps its snapshot. */
    beginExport: (input) => beginExport(deps, input),

    /** Safe to retry: no effect on an export that has ended. */
    endExport: (input, isCancelled) => endExport(deps.db, input, isCancelled),
  };
}
