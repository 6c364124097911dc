import type { Cipher } from '../../../../data/encryption.ts';
import { AppError, ValidationError } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { limits } from '../../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../../workspace/limits/refuse.ts';
import { getOpenProject } from '../../../workspace/projects/projects.ts';
import { openNodeSecrets, sealNodeSecrets } from '../graphs/sealed.ts';
import { takeSecrets } from '../graphs/secrets.ts';
import { replaceActiveTriggers } from './active-triggers.ts';
import { replaceTriggers, type WrittenTrigger } from './triggers.ts';
import { checkRevision, insertWorkflow, updateWorkflow, type Workflow, workflowStates } from './workflows.ts';

/** The fields that its owner writes. */
export interface WorkflowContent {
  title: string;
  description: string;
  outputFolder: string;
  /** A draft may have any fault. Undefined for a workflow made of steps, whose graph is derived from them. */
  graph: Record<string, unknown> | undefined;
  triggers: readonly WrittenTrigger[];
}

export interface NewWorkflow extends WorkflowContent {
  graph: Record<string, unknown>;
  organizationId: string;
  id: string;
  projectId: string;
  ownerId: string;
}

/** Adds a draft; a repetition finds the first by its id. */
export async function createWorkflow(
  db: OrganizationTransaction,
  cipher: Cipher,
  workflow: NewWorkflow,
): Promise<Workflow> {
  const { organizationId, id, projectId, ownerId } = workflow;
  await getOpenProject(db, organizationId, projectId);
  await refuseTooMany(db, organizationId, { ownerId, besidesId: id });
  const { document, secrets } = takeSecrets(workflow.graph, {});
  const row = await insertWorkflow(db, {
    organization_id: organizationId,
    id,
    project_id: projectId,
    owner_id: ownerId,
    title: workflow.title,
    description: workflow.description,
    output_folder: workflow.outputFolder.normalize('NFC'),
    status: 'draft',
    execution_format: 'typed_graph',
    graph: JSON.stringify(document),
    sealed_secrets: sealNodeSecrets(cipher, secrets),
  });
  if (row.revision === 1) await replaceTriggers(db, cipher, row, workflow.triggers);
  return row;
}

/** Replaces the draft; the active version is not affected. */
export async function replaceWorkflow(
  db: OrganizationTransaction,
  cipher: Cipher,
  before: Workflow,
  { content, expectedRevision }: { content: WorkflowContent; expectedRevision: number | undefined },
): Promise<Workflow> {
  checkRevision(before, expectedRevision);
  refuseArchived(before);
  await getOpenProject(db, before.organization_id, before.project_id);
  const row = await updateWorkflow(db, before.organization_id, before.id, {
    title: content.title,
    description: content.description,
    output_folder: content.outputFolder.normalize('NFC'),
    ...graphColumns(cipher, before, content.graph),
    ...revised(before),
  });
  await replaceTriggers(db, cipher, row, content.triggers);
  return row;
}

function graphColumns(cipher: Cipher, before: Workflow, graph: Record<string, unknown> | undefined) {
  if (before.execution_format === 'steps') {
    if (graph === undefined) return {};
    throw new AppError(
      'unsupported_option',
      'This workflow was imported as a list of steps, which cannot change. Omit graph, or create a new workflow with a graph.',
    );
  }
  if (graph === undefined)
    throw new ValidationError([
      { loc: ['body', 'graph'], type: 'missing', msg: 'Field required: send a graph.' },
    ]);
  const { document, secrets } = takeSecrets(graph, openNodeSecrets(cipher, before));
  return { graph: JSON.stringify(document), sealed_secrets: sealNodeSecrets(cipher, secrets) };
}

/** Deactivates it and makes it immutable. Archiving twice changes nothing. */
export async function archiveWorkflow(db: OrganizationTransaction, row: Workflow): Promise<Workflow> {
  if (row.status === 'archived') return row;
  await replaceActiveTriggers(db, row, undefined);
  return (await workflowStates.move(db, row, row.status, 'archived', revised(row))) ?? row;
}

export const revised = ({ revision }: Workflow) => ({ revision: revision + 1, updated_at: new Date() });

export function refuseArchived({ status }: Workflow): void {
  if (status === 'archived')
    throw new AppError('conflict', 'The workflow is archived and cannot be changed. Create a new workflow.');
}

/** Besides the one with this id, which an earlier attempt of the same request may have made. */
async function refuseTooMany(
  db: OrganizationTransaction,
  organizationId: string,
  { ownerId, besidesId }: { ownerId: string; besidesId: string },
): Promise<void> {
  const { total } = await db
    .selectFrom('workflows')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('owner_id', '=', ownerId)
    .where('id', '!=', besidesId)
    .where('status', '!=', 'archived')
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.workflows.workflows, Number(total));
}
