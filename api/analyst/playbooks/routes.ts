import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { runOf } from '../../../domain/analyst/agent-runs/start.ts';
import {
  deletePlaybook,
  getPlaybook,
  insertPlaybook,
  listPlaybooks,
  listVersions,
  revisePlaybook,
} from '../../../domain/analyst/playbooks/playbooks.ts';
import { runPlaybook } from '../../../domain/analyst/playbooks/run.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import { memoOf } from '../../caller.ts';
import { chosenModel } from '../../chosen-model.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { decodeCursor, envelope, page, pageQuery, revisionNumber, toPage } from '../../schemas.ts';
import { queuedRunExample, runSchema, runView } from '../../workspace/runs/schemas.ts';
import {
  changePlaybookBody,
  createPlaybookBody,
  playbookExample,
  playbookSchema,
  playbookVersionExample,
  playbookVersionSchema,
  playbookVersionView,
  playbookView,
  runPlaybookBody,
} from './schemas.ts';

const path = '/v1/projects/:project_id/playbooks/:playbook_id' as const;
const load = (
  db: OrganizationTransaction,
  organizationId: string,
  { project_id: projectId, playbook_id: id }: Record<'project_id' | 'playbook_id', string>,
) => getPlaybook(db, organizationId, projectId, id);

/** Instructions that the analyst runs without a person, with their output. */
export function playbooksRoutes(app: Routes, deps: ApiDeps): void {
  const at = {
    db: deps.db,
    tag: {
      name: 'Playbooks',
      description: 'Write instructions with parameters that the analyst carries out on its own.',
    },
  };
  const playbooks = resource(app, deps, {
    tag: at.tag,
    path,
    schema: playbookSchema,
    example: playbookExample,
    load,
    parent: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    view: playbookView,
  });
  const checkModel = (model: string | null | undefined) => {
    if (model != null) chosenModel(deps.models, { model });
  };

  playbooks.list({
    summary: 'List the playbooks of a project, newest first',
    rows: (db, { organizationId, params }, slice) =>
      listPlaybooks(db, organizationId, params.project_id, slice),
  });
  playbooks.create({
    summary: 'Create a playbook',
    audit: 'playbook.created',
    description:
      'The instructions are Markdown. Instructions, titles and paths can use parameters as `${name}`. The last message of the analyst becomes the report or the file.',
    body: createPlaybookBody,
    errors: ['conflict', 'limit_reached'],
    run: ({ organizationId, caller, params, body, newId, transaction }) => {
      checkModel(body.model);
      return transaction((db) =>
        insertPlaybook(db, {
          ...body,
          organizationId,
          projectId: params.project_id,
          id: newId('pbk'),
          createdBy: caller.id,
        }),
      );
    },
  });
  playbooks.show({ summary: 'Show a playbook' });
  playbooks.change({
    summary: 'Change a playbook',
    audit: 'playbook.updated',
    description:
      'Fields that you omit keep their values. The service keeps the previous revision, and runs in progress continue with it.',
    body: changePlaybookBody,
    errors: ['conflict', 'limit_reached', 'revision_conflict'],
    run: ({ organizationId, caller, params, body, transaction }) => {
      const { expected_revision: expectedRevision, ...given } = body;
      checkModel(given.model);
      const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      return transaction(async (db) =>
        revisePlaybook(
          db,
          await getPlaybook(db, organizationId, params.project_id, params.playbook_id, 'update'),
          { change, expectedRevision, changedBy: caller.id },
        ),
      );
    },
  });
  playbooks.remove({
    summary: 'Delete a playbook',
    audit: 'playbook.deleted',
    description: 'Runs in progress continue, and what earlier runs created stays.',
    run: ({ organizationId, params, transaction }) =>
      transaction(async (db) => deletePlaybook(db, await load(db, organizationId, params))),
  });

  route(
    app,
    at,
    ['POST', `${path}/runs`],
    {
      summary: 'Run a playbook',
      operationId: 'runPlaybook',
      audit: 'playbook.run',
      description:
        'The analyst carries out the instructions with the tables of the catalog. If the analyst needs to ask a question, the run fails and its error contains the question.',
      body: runPlaybookBody,
      exists: load,
      errors: ['conflict', 'workflows_unavailable'],
    },
    { 202: envelope(runSchema).meta({ examples: [{ data: queuedRunExample }] }) },
    async ({ organizationId, caller, params, body, newId, request, reply, transaction }) => {
      const row = await runPlaybook(deps, {
        organizationId,
        projectId: params.project_id,
        playbookId: params.playbook_id,
        callerId: caller.id,
        memo: memoOf(request),
        runId: newId('run'),
        params: body.params,
        at: ['body', 'params'],
        trigger: { type: 'api', id: caller.id },
        defaultModel: deps.models.defaultId,
      });
      reply.header('Location', `/v1/projects/${params.project_id}/runs/${row.id}`);
      return { data: runView(await transaction((db) => runOf(db, row))) };
    },
  );
  route(
    app,
    at,
    ['GET', `${path}/versions`],
    { summary: 'List the revisions of a playbook, newest first', exists: load, query: pageQuery },
    {
      200: page(playbookVersionSchema).meta({
        examples: [{ items: [playbookVersionExample], nextCursor: null }],
      }),
    },
    async ({ organizationId, params, query, request, transaction }) => {
      const list = request as typeof request & { query: typeof query };
      const after = decodeCursor(revisionNumber, list);
      const { rows, shown } = await transaction(async (db) =>
        listVersions(db, await load(db, organizationId, params), { after, limit: query.limit + 1 }),
      );
      return toPage(list, rows, ({ revision }) => revision, playbookVersionView, shown);
    },
  );
}
