import type { Cipher } from '../../../../data/encryption.ts';
import { notFound } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../../data/postgres/records.ts';
import type { Cadence } from '../../../../packages/cadences/index.ts';
import type { Graph } from '../graphs/graph.ts';
import { openNodeSecrets } from '../graphs/sealed.ts';
import { putSecrets } from '../graphs/secrets.ts';
import { validateGraph } from '../graphs/validate.ts';
import type { DataEventConfig, Trigger } from './triggers.ts';
import type { Workflow } from './workflows.ts';

/** A draft as activated; immutable. */
export type WorkflowVersion = RecordOf<'workflow_versions'>;

/** A trigger as of the activation of its version. */
export interface FrozenTrigger {
  id: string;
  type: Trigger['type'];
  label: string;
  enabled: boolean;
  params: Record<string, unknown>;
  cadence: Cadence | null;
  config: DataEventConfig | null;
}

declare module '../../../../data/postgres/schema.ts' {
  interface Documents {
    workflow_versions: {
      graph: Document<Graph>;
      triggers: Document<FrozenTrigger[]>;
    };
  }
}

const versions = records('workflow_versions', { prefix: 'wfv', what: 'The version' });

export const { insert: insertVersion, get: versionById } = versions;

/** A version of this workflow. */
export async function getVersion(
  db: OrganizationTransaction,
  { organization_id: organizationId, id: workflowId }: Workflow,
  versionId: string,
): Promise<WorkflowVersion> {
  const version = await versions.get(db, organizationId, versionId);
  if (version.workflow_id !== workflowId) throw notFound('The version');
  return version;
}

/** Newest first. */
export const listVersions = (
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Workflow,
  slice: Slice,
): Promise<WorkflowVersion[]> => versions.list(db, organizationId, slice, { workflow_id: id });

/** The version with that number; undefined if there is none. */
export function findNumbered(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Pick<Workflow, 'organization_id' | 'id'>,
  number: number,
): Promise<WorkflowVersion | undefined> {
  return db
    .selectFrom('workflow_versions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('workflow_id', '=', id)
    .where('number', '=', number)
    .executeTakeFirst();
}

export const frozen = (row: Trigger): FrozenTrigger => ({
  id: row.id,
  type: row.type,
  label: row.label,
  enabled: row.enabled,
  params: row.params,
  cadence: row.cadence,
  config: row.config,
});

/** The graph of a version with its secrets, for execution. */
export function graphToRun(cipher: Cipher, version: WorkflowVersion): Graph {
  const document = putSecrets({ ...version.graph }, openNodeSecrets(cipher, version));
  const validated = validateGraph(document);
  if ('graph' in validated) return validated.graph;
  const [fault] = validated.faults;
  throw new Error(`A version that was activated is no longer valid: ${fault?.msg}`);
}
