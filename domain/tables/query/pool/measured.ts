import { measuredJob } from '../../../../data/process-pool/measures.ts';
import { inSpan } from '../../../../data/telemetry/spans.ts';
import { verbOf } from '../../../../data/telemetry/statement-verb.ts';
import type { ProcessTask } from '../process/messages.ts';

/** Performs a task measured and traced, by its kind and the first word of its statement, not by its text. */
export function measured<T>(pool: string, task: ProcessTask, perform: () => Promise<T>): Promise<T> {
  const { kind, location } = task;
  const attributes = {
    'workspace.pool': pool,
    'workspace.job': kind,
    'workspace.organization_id': location.organizationId,
    ...('sql' in task && typeof task.sql === 'string' ? { 'workspace.statements': [verbOf(task.sql)] } : {}),
  };
  return measuredJob(pool, kind, () => inSpan(`${pool} ${kind}`, { attributes }, perform));
}
