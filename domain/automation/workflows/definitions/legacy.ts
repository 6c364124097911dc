import { z } from 'zod';
import type { Cipher } from '../../../../data/encryption.ts';
import { AppError, ValidationError } from '../../../../data/errors.ts';
import { derivedId } from '../../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type Cadence, checkStoredCadence } from '../../../../packages/cadences/index.ts';
import { pathFault } from '../../../workspace/files/path.ts';
import { findProject } from '../../../workspace/projects/projects.ts';
import type { Imported, LegacyKind } from '../../legacy/kind.ts';
import { sealNodeSecrets } from '../graphs/sealed.ts';
import { takeSecrets } from '../graphs/secrets.ts';
import { activateWorkflow, pauseWorkflow } from './activate.ts';
import { graphOfSteps, legacyStep, shownSteps } from './legacy-graph.ts';
import { insertTrigger } from './triggers.ts';
import { findWorkflow, insertWorkflow } from './workflows.ts';

/** A workflow of another system, with any type of cadence. */
const legacyWorkflow = z.strictObject({
  kind: z.literal('workflow'),
  /** Its key in the other system: the same key is the same workflow. */
  key: z.string().min(1).max(255),
  organizationId: z.string(),
  projectId: z.string(),
  /** The user as whom it runs, and the only one who sees it. */
  ownerUserId: z.string().min(1),
  title: z.string().min(1).max(200),
  description: z.string().max(2_000).default(''),
  outputFolder: z
    .string()
    .max(512)
    .default('')
    .refine((path) => path === '' || pathFault(path) === undefined, "This isn't a folder."),
  steps: z
    .array(legacyStep)
    .min(1)
    .max(50)
    .refine(
      (steps) => new Set(steps.map(({ position }) => position)).size === steps.length,
      'Two steps have the same position.',
    ),
  schedule: z.record(z.string(), z.unknown()).nullable().default(null),
  status: z.enum(['active', 'paused']).default('active'),
  /** Periods are counted from it if the cadence has no anchor. */
  createdAt: z.iso.datetime({ offset: true }),
});

type LegacyWorkflow = z.output<typeof legacyWorkflow> & { cadence: Cadence | null };

/**
 * Workflows of another system, which are lists of steps. They run as a graph built from the steps and
 * activated like any other; only their title, folder and triggers can be changed.
 */
export const legacyWorkflows = (cipher: Cipher): LegacyKind<LegacyWorkflow> => ({
  read: readRecord,
  async faultsOf(db, record) {
    if ((await findProject(db, record.organizationId, record.projectId)) === undefined)
      return ['projectId: The organization has no such project.'];
    try {
      await insert(db, cipher, record);
      return [];
    } catch (error) {
      if (error instanceof ValidationError)
        return error.faults.map(({ loc, msg }) => `${stepOf(loc)}: ${msg}`);
      if (error instanceof AppError) return [error.message];
      throw error;
    }
  },
  insert: (db, record) => insert(db, cipher, record),
});

function readRecord(record: unknown): LegacyWorkflow | string[] {
  const parsed = legacyWorkflow.safeParse(record);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (parsed.data.schedule === null) return { ...parsed.data, cadence: null };
  const checked = checkStoredCadence(parsed.data.schedule);
  if ('faults' in checked) return checked.faults.map(({ path, msg }) => `schedule.${path.join('.')}: ${msg}`);
  return { ...parsed.data, cadence: checked.cadence };
}

async function insert(
  db: OrganizationTransaction,
  cipher: Cipher,
  record: LegacyWorkflow,
): Promise<Imported> {
  const { organizationId, key, ownerUserId, cadence, steps } = record;
  const createdAt = new Date(record.createdAt);
  const idOf = (prefix: 'wfl' | 'wtr' | 'wfv') =>
    derivedId(prefix, createdAt.getTime(), `${organizationId}\n${key}`);
  const id = idOf('wfl');
  if ((await findWorkflow(db, organizationId, id)) !== undefined) return { id, key, isNew: false };
  const { document, secrets } = takeSecrets(graphOfSteps(steps), {});
  const row = await insertWorkflow(db, {
    organization_id: organizationId,
    id,
    project_id: record.projectId,
    owner_id: ownerUserId,
    title: record.title,
    description: record.description,
    output_folder: record.outputFolder.normalize('NFC'),
    status: 'draft',
    execution_format: 'steps',
    graph: JSON.stringify(document),
    steps: JSON.stringify(shownSteps(steps)),
    sealed_secrets: sealNodeSecrets(cipher, secrets),
    created_at: createdAt,
  });
  if (cadence !== null)
    await insertTrigger(db, {
      organization_id: organizationId,
      id: idOf('wtr'),
      workflow_id: id,
      position: 0,
      type: 'schedule',
      cadence: JSON.stringify(cadence),
    });
  const active = await activateWorkflow(db, cipher, row, {
    versionId: idOf('wfv'),
    expectedRevision: row.revision,
    olderId: undefined,
    callerId: ownerUserId,
    // Steps contain no SQL.
    sqlFaults: [],
  });
  if (record.status === 'paused') await pauseWorkflow(db, active);
  return { id, key, isNew: true };
}

/** Maps a location in the graph to one in the record: nodes are steps, by position. */
const stepOf = (loc: readonly (string | number)[]): string =>
  loc
    .slice(1)
    .filter((part) => part !== 'graph')
    .map((part) => (part === 'nodes' ? 'steps' : part))
    .join('.');
