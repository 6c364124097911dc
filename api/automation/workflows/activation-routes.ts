import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import {
  activateWorkflow,
  pauseWorkflow,
  resumeWorkflow,
  takeOverWorkflow,
  versionBefore,
} from '../../../domain/automation/workflows/definitions/activate.ts';
import { sqlFaultsOfDraft } from '../../../domain/automation/workflows/definitions/sql-faults.ts';
import {
  getVersion,
  listVersions,
  type WorkflowVersion,
} from '../../../domain/automation/workflows/definitions/versions.ts';
import { getAnyWorkflow, type Workflow } from '../../../domain/automation/workflows/definitions/workflows.ts';
import { archiveWorkflow } from '../../../domain/automation/workflows/definitions/write.ts';
import { wakeTriggerSchedules } from '../../../domain/automation/workflows/triggers/schedules.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import { type Caller, memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { whatRunsReads } from '../../never-wider.ts';
import { clientGone } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { type Call, route } from '../../route.ts';
import { envelope, idText, revisionNumber } from '../../schemas.ts';
import { serviceUrl } from '../../service-url.ts';
import { loadWorkflow, shown, workflowPath, workflowsTag } from './routes.ts';
import { workflowExample, workflowSchema, workflowView } from './schemas.ts';
import type { ShownWorkflow } from './shown-triggers.ts';
import { type ShownVersion, versionExample, versionSchema, versionView } from './version-schemas.ts';

const activationBody = z
  .strictObject({ expected_revision: revisionNumber, version_id: idText.optional() })
  .meta({ example: { expected_revision: 1 } });

/** The workflow, locked after its project; archiving a project locks them in the same order. */
async function held(
  db: OrganizationTransaction,
  organizationId: string,
  params: { workflow_id: string },
  caller: Caller,
): Promise<Workflow> {
  const { project_id: projectId } = await loadWorkflow(db, organizationId, params, caller);
  await getProject(db, organizationId, projectId, 'share');
  return loadWorkflow(db, organizationId, params, caller, 'update');
}

/** Activation of a workflow: its versions, which one is active, and whether its triggers are. */
export function workflowActivationRoutes(app: Routes, deps: ApiDeps): void {
  const workflows = resource(app, deps, {
    tag: workflowsTag,
    path: workflowPath,
    schema: workflowSchema,
    example: { ...workflowExample, status: 'active', activeVersionId: versionExample.id },
    load: async (db, organizationId, params, caller) =>
      shown(db, await loadWorkflow(db, organizationId, params, caller)),
    view: (row, { request }) => workflowView(row, serviceUrl(deps, request)),
  });
  /** Notifies the schedules of its triggers after the commit. */
  async function thenNotified(request: FastifyRequest, changing: () => Promise<ShownWorkflow>) {
    const row = await changing();
    await wakeTriggerSchedules(deps, row, memoOf(request));
    return row;
  }
  workflows.action('activation', {
    handsOut: () => whatRunsReads,
    summary: 'Activate a workflow',
    operationId: 'activateWorkflow',
    audit: 'workflow.activated',
    description:
      "Freezes the draft as a version, and replaces the active triggers with those of the draft in one step. If you send `version_id`, that older version becomes active again and the draft doesn't change. Runs in progress keep their version.",
    body: activationBody,
    errors: ['conflict', 'limit_reached', 'revision_conflict', 'queries_saturated'],
    run: async ({ organizationId, caller, params, body, newId, request, reply, transaction }) => {
      const draft = await transaction((db) => loadWorkflow(db, organizationId, params, caller));
      const isChecked = body.version_id === undefined && draft.revision === body.expected_revision;
      const found = isChecked ? await sqlFaultsOfDraft(deps, draft, clientGone(reply)) : [];
      return thenNotified(request, () =>
        transaction(async (db) => {
          const before = await held(db, organizationId, params, caller);
          const activation = {
            versionId: newId('wfv'),
            expectedRevision: body.expected_revision,
            olderId: body.version_id,
            callerId: caller.id,
            sqlFaults: found,
          };
          return shown(db, await activateWorkflow(db, deps.cipher, before, activation));
        }),
      );
    },
  });
  const change =
    (of: (db: OrganizationTransaction, row: Workflow) => Promise<Workflow>) =>
    ({ organizationId, caller, params, request, transaction }: Call<typeof workflowPath>) =>
      thenNotified(request, () =>
        transaction(async (db) => shown(db, await of(db, await held(db, organizationId, params, caller)))),
      );
  workflows.action('pause', {
    summary: 'Pause a workflow',
    audit: 'workflow.paused',
    description: 'Triggers no longer start the workflow. Runs in progress continue.',
    errors: ['conflict'],
    run: change(pauseWorkflow),
  });
  workflows.action('resume', {
    summary: 'Resume a paused workflow',
    audit: 'workflow.resumed',
    description:
      "The active version can be triggered again. Runs that were due in the meantime aren't made up for.",
    errors: ['conflict'],
    run: change(resumeWorkflow),
  });
  workflows.action('archive', {
    summary: 'Archive a workflow',
    audit: 'workflow.archived',
    description: "You can't undo this. An archived workflow is read-only.",
    run: change(archiveWorkflow),
  });

  route(
    app,
    { db: deps.db, tag: workflowsTag },
    ['POST', `${workflowPath}/take-over`],
    {
      handsOut: () => whatRunsReads,
      summary: 'Take over a workflow whose owner is gone',
      operationId: 'takeOverWorkflow',
      audit: 'workflow.taken_over',
      description:
        'The workflow belongs to you from then on, and stays paused until it is resumed. The response is 409 if its owner still has access.',
      admin: true,
      errors: ['conflict'],
      exists: (db, organizationId, { workflow_id: id }) => getAnyWorkflow(db, organizationId, id),
    },
    { 200: envelope(workflowSchema).meta({ examples: [{ data: workflowExample }] }) },
    async ({ organizationId, caller, params, request, transaction }) => {
      const row = await transaction(async (db) => {
        const before = await getAnyWorkflow(db, organizationId, params.workflow_id, 'update');
        return shown(db, await takeOverWorkflow(db, before, caller.id));
      });
      return { data: workflowView(row, serviceUrl(deps, request)) };
    },
  );

  const versions = resource(app, deps, {
    tag: workflowsTag,
    path: `${workflowPath}/versions/:version_id`,
    schema: versionSchema,
    example: versionExample,
    load: async (db, organizationId, params, caller) => {
      const workflow = await loadWorkflow(db, organizationId, params, caller);
      return withChanges(db, await getVersion(db, workflow, params.version_id));
    },
    parent: loadWorkflow,
    view: versionView,
  });
  versions.list({
    summary: 'List the versions of a workflow, newest first',
    description: 'Each version shows what differs from the one before.',
    rows: async (db, { organizationId, params, caller }, slice) => {
      const rows = await listVersions(db, await loadWorkflow(db, organizationId, params, caller), slice);
      // The preceding version is the next row, except for the last row of the page.
      return Promise.all(
        rows.map(async (row, index) => ({
          ...row,
          before: rows[index + 1] ?? (await versionBefore(db, row)),
        })),
      );
    },
  });
  versions.show({ summary: 'Show a version of a workflow' });
}

async function withChanges(db: OrganizationTransaction, row: WorkflowVersion): Promise<ShownVersion> {
  return { ...row, before: await versionBefore(db, row) };
}
