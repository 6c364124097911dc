import type { Cipher } from '../../../../data/encryption.ts';
import { ValidationError, type ValidationFault } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { checkParams, type Params } from '../../../analyst/playbooks/parameters.ts';
import { findPlaybook } from '../../../analyst/playbooks/playbooks.ts';
import { findDataset } from '../../../intake/datasets/datasets.ts';
import { attachedTables } from '../../../tables/catalog-entries/catalog-entries.ts';
import { isWritable } from '../../../tables/tables/grants.ts';
import { findTable } from '../../../tables/tables/registry.ts';
import { findTestDefinition } from '../../../tables/verification/definitions.ts';
import { formatFaults } from '../graphs/formats.ts';
import type { Graph } from '../graphs/graph.ts';
import { parametersOf } from '../graphs/parameters.ts';
import { openNodeSecrets } from '../graphs/sealed.ts';
import { putSecrets } from '../graphs/secrets.ts';
import { type NodeToExamine, validateGraph } from '../graphs/validate.ts';
import { dashboardFaults } from './dashboard-faults.ts';
import { triggersOf } from './triggers.ts';
import type { Workflow } from './workflows.ts';

/** Everything that prevents the activation of a draft, with locations. */
export async function faultsOfDraft(
  db: OrganizationTransaction,
  cipher: Cipher,
  row: Workflow,
): Promise<ValidationFault[]> {
  const document = putSecrets((row.graph ?? {}) as Record<string, unknown>, openNodeSecrets(cipher, row));
  const validated = validateGraph(document);
  const {
    faults = [],
    nodes,
    parameters,
  } = 'graph' in validated
    ? { nodes: new Map(validated.graph.nodes.entries()), parameters: validated.graph.parameters }
    : validated;
  return [
    ...faults,
    ...formatFaults(document),
    ...(await playbookFaults(db, row, nodes)),
    ...(await dashboardFaults(db, row, nodes)),
    ...(await datasetFaults(db, row, nodes)),
    ...(await calculatedTableFaults(db, row, nodes)),
    ...(await testFaults(db, row, nodes)),
    ...(await triggerFaults(db, row, parameters)),
  ];
}

/** Nodes of known types with what is right of their configs, by their index. */
type Nodes = ReadonlyMap<number, NodeToExamine>;

/** Playbooks that nodes name must exist and accept their parameters. */
async function playbookFaults(
  db: OrganizationTransaction,
  { organization_id: organizationId, project_id: projectId }: Workflow,
  nodes: Nodes,
): Promise<ValidationFault[]> {
  const faults: ValidationFault[] = [];
  const tables = await attachedTables(db, organizationId, projectId);
  for (const [index, { type, config }] of nodes) {
    if (type !== 'playbook' || !isKnown(config['playbook_id'])) continue;
    const at = ['body', 'graph', 'nodes', index, 'config'];
    const playbook = await findPlaybook(db, organizationId, config['playbook_id']);
    if (playbook?.project_id !== projectId) {
      const msg = 'The project has no such playbook.';
      faults.push({ loc: [...at, 'playbook_id'], type: 'value_error', msg });
      continue;
    }
    const params = (config['params'] ?? {}) as Params;
    // The value of a placeholder is known only in a run, and checked there.
    const known = Object.fromEntries(Object.entries(params).filter(([, value]) => !isOpen(value)));
    const open = Object.keys(params).filter((name) => !Object.hasOwn(known, name));
    const { parameters } = playbook;
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
  nodes: Nodes,
): Promise<ValidationFault[]> {
  const faults: ValidationFault[] = [];
  for (const [index, { type, config }] of nodes) {
    const id = config['dataset_id'];
    if (type !== 'snapshot' || !isKnown(id) || (await findDataset(db, organizationId, id))) continue;
    faults.push(configFault(index, 'dataset_id', 'There is no such dataset.'));
  }
  return faults;
}

/** Calculated tables that nodes name must exist for the owner, who must be allowed to build them. */
async function calculatedTableFaults(
  db: OrganizationTransaction,
  { organization_id: organizationId }: Workflow,
  nodes: Nodes,
): Promise<ValidationFault[]> {
  const faults: ValidationFault[] = [];
  for (const [index, { type, config }] of nodes) {
    const id = config['table_id'];
    if (type !== 'materialize' || !isKnown(id)) continue;
    const table = await findTable(db, organizationId, id);
    const isThere = table?.kind === 'calc' && table.status === 'ready';
    if (isThere && isWritable(table)) continue;
    const msg = isThere
      ? 'You can read this table, but you may not write to it.'
      : 'There is no such calculated table.';
    faults.push(configFault(index, 'table_id', msg));
  }
  return faults;
}

/** Tables and definitions whose tests nodes run must exist for the owner. */
async function testFaults(
  db: OrganizationTransaction,
  { organization_id: organizationId }: Workflow,
  nodes: Nodes,
): Promise<ValidationFault[]> {
  const faults: ValidationFault[] = [];
  for (const [index, { type, config }] of nodes) {
    if (type !== 'verification') continue;
    const { table_ids: tables = [], definition_ids: definitions = [] } = config as Record<string, unknown[]>;
    for (const [place, id] of tables.entries()) {
      const table = isOpen(id) ? undefined : await findTable(db, organizationId, String(id));
      if (!isOpen(id) && table?.status !== 'ready')
        faults.push(configFault(index, 'table_ids', 'There is no such table.', place));
    }
    for (const [place, id] of definitions.entries())
      if (!isOpen(id) && (await findTestDefinition(db, organizationId, String(id))) === undefined)
        faults.push(configFault(index, 'definition_ids', 'There is no such test definition.', place));
  }
  return faults;
}

const configFault = (index: number, key: string, msg: string, ...place: number[]): ValidationFault => ({
  loc: ['body', 'graph', 'nodes', index, 'config', key, ...place],
  type: 'value_error',
  msg,
});

/** Neither wrong by itself, nor known only in a run. */
const isKnown = (value: unknown): value is string => typeof value === 'string' && !isOpen(value);

const isOpen = (value: unknown): boolean => typeof value === 'string' && value.includes('${');

/**
 * The parameters of triggers must match those of the graph; those of webhook and api triggers come with each
 * call.
 */
async function triggerFaults(
  db: OrganizationTransaction,
  { organization_id: organizationId, project_id: projectId, id }: Workflow,
  declared: Graph['parameters'] | undefined,
): Promise<ValidationFault[]> {
  const tables = await attachedTables(db, organizationId, projectId);
  const parameters = declared === undefined ? undefined : parametersOf(declared);
  const triggers = await triggersOf(db, organizationId, [id]);
  return triggers.flatMap((trigger, index) => {
    const { type, params } = trigger;
    const isWhole = type === 'schedule' || type === 'data_event';
    const at = ['body', 'triggers', index];
    const paramsAt = [...at, 'params'] as string[];
    const paramFaults = () => {
      if (parameters === undefined) return [];
      const wanted = isWhole ? parameters : optional(parameters);
      return faultsFrom(() => checkParams(wanted, params, { at: paramsAt, tables }));
    };
    return [
      ...paramFaults(),
      ...(trigger.config?.tableIds ?? []).flatMap((tableId, place) =>
        // A view has no versions of its own.
        tables.some((table) => table.id === tableId && table.kind !== 'view')
          ? []
          : [{ loc: [...at, 'config', 'table_ids', place], type: 'value_error', msg: unattached }],
      ),
    ];
  });
}

const optional = (parameters: ReturnType<typeof parametersOf>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, { ...parameter, required: false }]),
  );

const unattached = 'No table with this name is attached to the project.';

function faultsFrom(check: () => unknown): readonly ValidationFault[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ValidationError) return error.faults;
    throw error;
  }
}
