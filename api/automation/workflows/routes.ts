import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { faultsOfDraft } from '../../../domain/automation/workflows/definitions/draft-faults.ts';
import { sqlFaultsOfDraft } from '../../../domain/automation/workflows/definitions/sql-faults.ts';
import { triggersOf } from '../../../domain/automation/workflows/definitions/triggers.ts';
import {
  getWorkflow,
  listWorkflows,
  type Workflow,
} from '../../../domain/automation/workflows/definitions/workflows.ts';
import { createWorkflow, replaceWorkflow } from '../../../domain/automation/workflows/definitions/write.ts';
import type { Caller } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { bodyLimits } from '../../plugins/json-body.ts';
import { clientGone } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import { serviceUrl } from '../../service-url.ts';
import { contentOf, createWorkflowBody, replaceWorkflowBody } from './bodies.ts';
import {
  faultsSchema,
  listedNodeTypes,
  listWorkflowsQuery,
  nodeTypesSchema,
  workflowExample,
  workflowSchema,
  workflowView,
} from './schemas.ts';
import { type ShownWorkflow, shownTriggers, withSecrets } from './shown-triggers.ts';

export const workflowPath = '/v1/workflows/:workflow_id' as const;
export const workflowsTag = {
  name: 'Workflows',
  description: 'Build graphs of steps that run on their own, as their owner.',
};

/** The workflow of the path; visible to its owner only. */
export const loadWorkflow = (
  db: OrganizationTransaction,
  organizationId: string,
  { workflow_id: id }: Record<'workflow_id', string>,
  { id: ownerId }: Caller,
  lock?: 'update',
): Promise<Workflow> => getWorkflow(db, organizationId, { id, ownerId }, lock);

async function shownAll(db: OrganizationTransaction, rows: readonly Workflow[]): Promise<ShownWorkflow[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const ids = rows.map(({ id }) => id);
  const stored = await triggersOf(db, first.organization_id, ids);
  const triggers = await shownTriggers(db, stored);
  return rows.map((row) => ({
    ...row,
    triggers: triggers.filter(({ workflow_id: id }) => id === row.id),
  }));
}

export const shown = async (db: OrganizationTransaction, row: Workflow): Promise<ShownWorkflow> =>
  (await shownAll(db, [row]))[0]!;

/** Workflows: graphs of steps with triggers. A workflow is visible to its owner only. */
export function workflowsRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: workflowsTag };
  const workflows = resource(app, deps, {
    tag: at.tag,
    path: workflowPath,
    schema: workflowSchema,
    example: workflowExample,
    load: async (db, organizationId, params, caller) =>
      shown(db, await loadWorkflow(db, organizationId, params, caller)),
    view: (row, { request }) => workflowView(row, serviceUrl(deps, request)),
  });

  route(
    app,
    at,
    ['GET', '/v1/workflows/node-types'],
    {
      summary: 'List node types',
      description:
        'Returns each type with the JSON Schema of its config, and its ports. Every node also has an input `start` and an output `done`, which only set the order.',
    },
    { 200: nodeTypesSchema.meta({ examples: [{ items: listedNodeTypes.slice(0, 1) }] }) },
    async () => ({ items: listedNodeTypes }),
  );

  workflows.list({
    summary: 'List your workflows, newest first',
    query: listWorkflowsQuery,
    errors: ['admin_required'],
    rows: async (db, { organizationId, caller, query }, slice) => {
      const { project_id: projectId, status } = query;
      if (query.owner === 'gone' && !caller.admin)
        throw new AppError('admin_required', 'Only an administrator can list workflows without an owner.');
      const owner = query.owner === 'gone' ? query.owner : { id: caller.id };
      const filters = { owner, projectId, status };
      return shownAll(db, await listWorkflows(db, organizationId, filters, slice));
    },
  });
  workflows.create({
    summary: 'Create a workflow',
    audit: 'workflow.created',
    description:
      'Creates a draft, which can be incomplete. `validate` lists every problem with its node and port. Secrets in a config read back as `"********"`.',
    body: createWorkflowBody,
    bodyLimit: bodyLimits.workflow,
    errors: ['not_found', 'conflict', 'limit_reached', 'invalid_cadence'],
    run: ({ organizationId, caller, body, newId, transaction }) =>
      transaction(async (db) => {
        const content = contentOf(body, (place) => newId('wtr', String(place)));
        const row = await createWorkflow(db, deps.cipher, {
          ...content,
          graph: body.graph,
          organizationId,
          id: newId('wfl'),
          projectId: body.project_id,
          ownerId: caller.id,
        });
        return withSecrets(db, deps.cipher, await shown(db, row), content.triggers);
      }),
  });
  workflows.show({
    summary: 'Show a workflow',
    description: 'Returns its triggers, its graph, and the revision to send with a change.',
  });
  workflows.replace({
    summary: 'Replace the draft of a workflow',
    audit: 'workflow.updated',
    description:
      'A trigger with a known `id` keeps its address and secret. A trigger without an `id` is new. If it is a webhook, this response is the only one that shows its secret. `"********"` keeps a stored secret.',
    body: replaceWorkflowBody,
    bodyLimit: bodyLimits.workflow,
    errors: ['conflict', 'revision_conflict', 'invalid_cadence'],
    run: ({ organizationId, caller, params, body, newId, transaction }) =>
      transaction(async (db) => {
        const before = await loadWorkflow(db, organizationId, params, caller, 'update');
        const content = contentOf(body, (place) => newId('wtr', String(place)));
        const expectedRevision = body.expected_revision;
        const row = await replaceWorkflow(db, deps.cipher, before, { content, expectedRevision });
        return withSecrets(db, deps.cipher, await shown(db, row), content.triggers);
      }),
  });

  route(
    app,
    at,
    ['POST', `${workflowPath}/validate`],
    {
      summary: 'Validate a draft',
      audit: { none: 'It only checks what it is given.' },
      description:
        "Lists every problem that an activation would refuse, with its node and port. This includes statements that use tables or columns that don't exist. A table that a snapshot in the graph creates counts as existing.",
      exists: loadWorkflow,
      errors: ['queries_saturated'],
    },
    {
      200: envelope(faultsSchema).meta({
        examples: [
          {
            data: {
              valid: false,
              faults: [
                {
                  loc: ['body', 'graph', 'nodes', 1, 'inputs', 'input'],
                  msg: 'enough is a condition, so its input input must have an edge.',
                  type: 'missing',
                },
                {
                  loc: ['body', 'graph', 'nodes', 0, 'config', 'sql'],
                  msg: 'There is no table ordres.',
                  type: 'unknown_table',
                },
              ],
            },
          },
        ],
      }),
    },
    async ({ organizationId, caller, params, reply, transaction }) => {
      const { draft, found } = await transaction(async (db) => {
        const row = await loadWorkflow(db, organizationId, params, caller);
        return { draft: row, found: await faultsOfDraft(db, deps.cipher, row) };
      });
      const faults = [...found, ...(await sqlFaultsOfDraft(deps, draft, clientGone(reply)))];
      return { data: { valid: faults.length === 0, faults } };
    },
  );
}
