import type { Cipher } from '../../../../data/encryption.ts';
import { notFound, ValidationError, type ValidationFault } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../../data/postgres/records.ts';
import type { Cadence, WritableCadence } from '../../../../packages/cadences/index.ts';
import { limits } from '../../../workspace/limits/limits.ts';
import { refuseNewInterval } from '../../cadences/cadences.ts';
import { ensureHook, removeHooks } from '../triggers/hooks.ts';
import type { Workflow } from './workflows.ts';

export type Trigger = RecordOf<'workflow_triggers'>;

const triggers = records('workflow_triggers', { prefix: 'wtr', what: 'The trigger' });

export const { insert: insertTrigger } = triggers;

export interface DataEventConfig {
  tableIds: string[];
  windowSeconds: number;
  ownWrites: boolean;
}

declare module '../../../../data/postgres/schema.ts' {
  interface Documents {
    workflow_triggers: {
      cadence: Document<Cadence | null>;
      config: Document<DataEventConfig | null>;
      params: DefaultedDocument<Record<string, unknown>>;
    };
    workflow_active_triggers: {
      cadence: Document<Cadence | null>;
      config: Document<DataEventConfig | null>;
      params: Document<Record<string, unknown>>;
    };
  }
}

/** A trigger as its author writes it; an id refers to a stored trigger. */
export interface WrittenTrigger {
  id: string | undefined;
  /** Id to use if it is new. */
  newId: string;
  type: Trigger['type'];
  label: string;
  enabled: boolean;
  params: Record<string, unknown>;
  cadence: WritableCadence | undefined;
  config: DataEventConfig | undefined;
}

export const maxTriggers = limits.workflows.triggers.most;

export async function triggersOf(
  db: OrganizationTransaction,
  organizationId: string,
  workflowIds: readonly string[],
): Promise<Trigger[]> {
  if (workflowIds.length === 0) return [];
  return db
    .selectFrom('workflow_triggers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('workflow_id', 'in', workflowIds)
    .orderBy('workflow_id')
    .orderBy('position')
    .execute();
}

/** Replaces the triggers of a draft; those written again keep their ids and the addresses of their hooks. */
export async function replaceTriggers(
  db: OrganizationTransaction,
  cipher: Cipher,
  workflow: Workflow,
  written: readonly WrittenTrigger[],
): Promise<void> {
  const { organization_id: organizationId, id: workflowId } = workflow;
  const stored = new Map((await triggersOf(db, organizationId, [workflowId])).map((row) => [row.id, row]));
  checkAgainst(stored, written);
  for (const [index, trigger] of written.entries()) {
    // A repeated request finds the triggers that it made.
    const before = stored.get(trigger.id ?? trigger.newId);
    if (trigger.cadence !== undefined) refuseNewInterval(trigger.cadence, before?.cadence ?? undefined);
    const columns = columnsOf(trigger, index);
    if (before === undefined)
      await triggers.insert(db, {
        organization_id: organizationId,
        id: trigger.newId,
        workflow_id: workflowId,
        ...columns,
      });
    else await triggers.update(db, organizationId, before.id, columns);
    const triggerId = before?.id ?? trigger.newId;
    if (trigger.type === 'webhook') await ensureHook(db, cipher, { organizationId, workflowId, triggerId });
    stored.delete(triggerId);
  }
  for (const id of stored.keys()) await triggers.remove(db, organizationId, id);
  await removeHooks(db, { organizationId, workflowId }, [...stored.keys()]);
}

/** A trigger of the draft. */
export async function getTrigger(
  db: OrganizationTransaction,
  { organization_id: organizationId, id: workflowId }: Workflow,
  id: string,
): Promise<Trigger> {
  const row = await triggers.get(db, organizationId, id);
  if (row.workflow_id !== workflowId) throw notFound('The trigger');
  return row;
}

function checkAgainst(stored: ReadonlyMap<string, Trigger>, written: readonly WrittenTrigger[]): void {
  const faults: ValidationFault[] = [];
  const seen = new Set<string>();
  for (const [index, { id, type }] of written.entries()) {
    if (id === undefined) continue;
    const loc = ['body', 'triggers', index, 'id'];
    const before = stored.get(id);
    if (before === undefined)
      faults.push({
        loc,
        type: 'value_error',
        msg: 'The workflow has no trigger with this id. To add a new trigger, omit id.',
      });
    else if (before.type !== type)
      faults.push({
        loc,
        type: 'value_error',
        msg: `This trigger has the type ${before.type}. The type of a trigger cannot change.`,
      });
    if (seen.has(id)) faults.push({ loc, type: 'value_error', msg: 'Another trigger has the same id.' });
    seen.add(id);
  }
  if (faults.length > 0) throw new ValidationError(faults);
}

function columnsOf({ type, label, enabled, params, cadence, config }: WrittenTrigger, position: number) {
  return {
    position,
    type,
    label,
    enabled,
    params: JSON.stringify(params),
    cadence: cadence === undefined ? null : JSON.stringify(cadence),
    config: config === undefined ? null : JSON.stringify(config),
  };
}
