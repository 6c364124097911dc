import type { Cipher } from '../../../../data/encryption.ts';
import { AppError, ValidationError, type ValidationFault } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { checkParams, type Params } from '../../../analyst/playbooks/parameters.ts';
import { findPlaybook, parametersOf as playbookParameters } from '../../../analyst/playbooks/playbooks.ts';
import { findDataset } from '../../../intake/datasets/datasets.ts';
import { attachedTables } from '../../../tables/catalog-entries/catalog-entries.ts';
import { findProject, getOpenProject } from '../../../workspace/projects/projects.ts';
import type { Graph } from '../graphs/graph.ts';
import { parametersOf } from '../graphs/parameters.ts';
import { openNodeSecrets, sealNodeSecrets } from '../graphs/sealed.ts';
import { putSecrets, takeSecrets } from '../graphs/secrets.ts';
import { validateGraph } from '../graphs/validate.ts';
import { replaceActiveTriggers } from './active-triggers.ts';
import { configOf, replaceTriggers, triggersOf, type WrittenTrigger } from './triggers.ts';
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

const maxWorkflows = 1_000;

/** Adds a draft; a repetition finds the first by its id. */
export async function createWorkflow(
  db: OrganizationTransaction,
  cipher: Cipher,
  workflow: NewWorkflow,
): Promise<Workflow> {
  const { organizationId, id, projectId, ownerId } = workflow;
  if ((await findProject(db, organizationId, projectId)) === undefined)
    throw new ValidationError([
      { loc: ['body', 'project_id'], type: 'value_error', msg: 'There is no such project.' },
    ]);
  await getOpenProject(db, organizationId, projectId);
  await refuseTooMany(db, organizationId, ownerId);
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
      'The workflow is one of steps, which stay as they came: leave graph out, or make another workflow of a graph.',
    );
  }
  if (graph === undefined)
    throw new ValidationError([{ loc: ['body', 'graph'], type: 'missing', msg: 'A graph is required.' }]);
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
    throw new AppError('conflict', 'The workflow is archived, which is final; make another one.');
}

/** Everything that prevents the activation of a draft, with locations. */
export async function faultsOfDraft(
  db: OrganizationTransaction,
  cipher: Cipher,
  row: Workflow,
): Promise<ValidationFault[]> {
  const document = putSecrets((row.graph ?? {}) as Record<string, unknown>, openNodeSecrets(cipher, row));
  const validated = validateGraph(document);
  if ('faults' in validated) return validated.faults;
  return [
    ...(await playbookFaults(db, row, validated.graph)),
    ...(await datasetFaults(db, row, validated.graph)),
    ...(await triggerFaults(db, row, validated.graph)),
  ];
}

/** Playbooks that nodes name must exist and accept their parameters. */
async function playbookFaults(
  db: OrganizationTransaction,
  { organization_id: organizationId, project_id: projectId }: Workflow,
  { nodes }: Graph,
): Promise<ValidationFault[]> {
  const faults: ValidationFault[] = [];
  const tables = await attachedTables(db, organizationId, projectId);
  for (const [index, { type, config }] of nodes.entries()) {
    if (type !== 'playbook') continue;
    const at = ['body', 'graph', 'nodes', index, 'config'];
    const playbook = await findPlaybook(db, organizationId, String(config['playbook_id']));
    if (playbook?.project_id !== projectId) {
      const msg = 'There is no such playbook in the project.';
      faults.push({ loc: [...at, 'playbook_id'], type: 'value_error', msg });
      continue;
    }
    const params = (config['params'] ?? {}) as Params;
    // The value of a placeholder is known only in a run, and checked there.
    const known = Object.fromEntries(Object.entries(params).filter(([, value]) => !isOpen(value)));
    const open = Object.keys(params).filter((name) => !Object.hasOwn(known, name));
    const parameters = playbookParameters(playbook);
    const closed = Object.fromEntries(
      Object.entries(parameters).map(([name, parameter]) => [
        name,
        open.includes(name) ? { ...parameter, required: false } : parameter,
      ]),
    );
    faults.push(
      ...faultsFrom(() => checkParams(closed, known, { at: [...at, 'params'] as string[], tables })),
    );
  }
  return faults;
}

/** Datasets that nodes name must exist. */
async function datasetFaults(
  db: OrganizationTransaction,
  { organization_id: organizationId }: Workflow,
  { nodes }: Graph,
): Promise<ValidationFault[]> {
  const faults: ValidationFault[] = [];
  for (const [index, { type, config }] of nodes.entries()) {
    const id = config['dataset_id'];
    if (type !== 'snapshot' || isOpen(id) || (await findDataset(db, organizationId, String(id)))) continue;
    const loc = ['body', 'graph', 'nodes', index, 'config', 'dataset_id'];
    faults.push({ loc, type: 'value_error', msg: 'There is no such dataset.' });
  }
  return faults;
}

const isOpen = (value: unknown): boolean => typeof value === 'string' && value.includes('${');

/**
 * The parameters of triggers must match those of the graph; those of webhook and api triggers come with each
 * call.
 */
async function triggerFaults(
  db: OrganizationTransaction,
  { organization_id: organizationId, project_id: projectId, id }: Workflow,
  graph: Graph,
): Promise<ValidationFault[]> {
  const tables = await attachedTables(db, organizationId, projectId);
  const parameters = parametersOf(graph.parameters);
  const triggers = await triggersOf(db, organizationId, [id]);
  return triggers.flatMap((trigger, index) => {
    const { type, params } = trigger;
    const isWhole = type === 'schedule' || type === 'data_event';
    const wanted = isWhole
      ? parameters
      : Object.fromEntries(
          Object.entries(parameters).map(([name, parameter]) => [name, { ...parameter, required: false }]),
        );
    const at = ['body', 'triggers', index];
    const paramsAt = [...at, 'params'] as string[];
    return [
      ...faultsFrom(() => checkParams(wanted, params as unknown as Params, { at: paramsAt, tables })),
      ...(configOf(trigger)?.tableIds ?? []).flatMap((tableId, place) =>
        tables.some((table) => table.id === tableId)
          ? []
          : [{ loc: [...at, 'config', 'table_ids', place], type: 'value_error', msg: unattached }],
      ),
    ];
  });
}

const unattached = 'No such table is attached to the project.';

function faultsFrom(check: () => unknown): readonly ValidationFault[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ValidationError) return error.faults;
    throw error;
  }
}

async function refuseTooMany(
  db: OrganizationTransaction,
  organizationId: string,
  ownerId: string,
): Promise<void> {
  const { total } = await db
    .selectFrom('workflows')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('owner_id', '=', ownerId)
    .where('status', '!=', 'archived')
    .executeTakeFirstOrThrow();
  if (Number(total) >= maxWorkflows)
    throw new AppError('conflict', `You have ${maxWorkflows} workflows; archive some first.`);
}
