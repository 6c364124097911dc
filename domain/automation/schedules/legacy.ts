import { z } from 'zod';
import { ValidationError } from '../../../data/errors.ts';
import { derivedId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type Cadence, checkStoredCadence } from '../../../packages/cadences/index.ts';
import { checkParams } from '../../analyst/playbooks/parameters.ts';
import { findPlaybook } from '../../analyst/playbooks/playbooks.ts';
import { attachedTables } from '../../tables/catalog-entries/catalog-entries.ts';
import type { Imported, LegacyKind } from '../legacy/kind.ts';
import { findSchedule, insertSchedule, nextOf } from './schedules.ts';

/** A schedule of another system, with any type of cadence, in the names that the API shows. */
const legacySchedule = z.strictObject({
  kind: z.literal('playbook'),
  /** Its key in the other system: the same key is the same schedule. */
  key: z.string().min(1).max(255),
  organizationId: z.string(),
  target: z.strictObject({ projectId: z.string(), playbookId: z.string() }),
  description: z.string().max(2_000).default(''),
  schedule: z.record(z.string(), z.unknown()),
  config: z
    .strictObject({
      params: z.record(z.string(), z.unknown()).default({}),
      outputFolder: z.string().max(512).default(''),
      emailRecipients: z
        .array(z.strictObject({ email: z.email(), type: z.literal('to').default('to') }))
        .max(50)
        .default([]),
    })
    .default({ params: {}, outputFolder: '', emailRecipients: [] }),
  status: z.enum(['active', 'paused']).default('active'),
  createdByUserId: z.string().min(1),
  /** Periods are counted from it if the cadence has no anchor. */
  createdAt: z.iso.datetime({ offset: true }),
});

type LegacySchedule = z.output<typeof legacySchedule> & { cadence: Cadence };

/**
 * Schedules of another system. Each begins to fire within a minute, from now on; importing one again adds
 * nothing.
 */
export const legacySchedules: LegacyKind<LegacySchedule> = {
  read: readRecord,
  faultsOf: async (db, record) => {
    const fault = await targetFault(db, record);
    return fault === undefined ? [] : [fault];
  },
  insert,
};

/** The parsed record, or its faults. */
function readRecord(record: unknown): LegacySchedule | string[] {
  const parsed = legacySchedule.safeParse(record);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const checked = checkStoredCadence(parsed.data.schedule);
  if ('faults' in checked) return checked.faults.map(({ path, msg }) => `schedule.${path.join('.')}: ${msg}`);
  return { ...parsed.data, cadence: checked.cadence };
}

async function targetFault(
  db: OrganizationTransaction,
  { organizationId, target, config }: LegacySchedule,
): Promise<string | undefined> {
  const playbook = await findPlaybook(db, organizationId, target.playbookId);
  if (playbook?.project_id !== target.projectId) return 'target: The project has no such playbook.';
  const tables = await attachedTables(db, organizationId, target.projectId);
  try {
    checkParams(playbook.parameters, config.params, { at: ['config', 'params'], tables });
    return undefined;
  } catch (error) {
    if (error instanceof ValidationError) return error.message;
    throw error;
  }
}

async function insert(db: OrganizationTransaction, schedule: LegacySchedule): Promise<Imported> {
  const { organizationId, key, cadence, config, target } = schedule;
  const createdAt = new Date(schedule.createdAt);
  const id = derivedId('sch', createdAt.getTime(), `${organizationId}\n${key}`);
  if ((await findSchedule(db, organizationId, id)) !== undefined) return { id, key, isNew: false };
  const now = new Date();
  const next = nextOf({ cadence, created_at: createdAt }, now.getTime());
  const status = next === undefined ? 'done' : schedule.status;
  await insertSchedule(db, {
    organization_id: organizationId,
    id,
    project_id: target.projectId,
    playbook_id: target.playbookId,
    description: schedule.description,
    cadence: JSON.stringify(cadence),
    params: JSON.stringify(config.params),
    output_folder: config.outputFolder,
    email_recipients: JSON.stringify(config.emailRecipients),
    status,
    considered_until: now,
    next_run_at: status === 'active' && next !== undefined ? new Date(next.atMs) : null,
    created_by: schedule.createdByUserId,
    created_at: createdAt,
    updated_at: now,
  });
  return { id, key, isNew: true };
}
