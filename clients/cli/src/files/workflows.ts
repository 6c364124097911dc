import type { components, Workspace } from '../../../typescript/src/index.ts';
import { some } from '../../../typescript/src/index.ts';
import { most } from '../context.ts';
import { plain } from '../output.ts';
import { type Document, snakeCase, withoutNulls } from './documents.ts';
import type { Kind, Stored } from './kind.ts';

export const workflowsKind = (workspace: Workspace, project_id: string): Kind => ({
  folder: 'workflows',
  nameFields: ['title'],
  async list() {
    const found = await some(most, (page) =>
      workspace.get('/v1/workflows', { params: { query: { project_id, ...page } } }),
    );
    return found.filter(({ status, graph }) => status !== 'archived' && graph !== null).map(workflowOf);
  },
  async create(document) {
    const body = { ...withoutIds(document, []), project_id } as never;
    const { data } = await workspace.post('/v1/workflows', { body });
    return { id: data.id, shownOnce: secretsOf(data) };
  },
  async update(stored, document) {
    const params = { path: { workflow_id: stored.id } };
    const { data: now } = await workspace.get('/v1/workflows/{workflow_id}', { params });
    const known = now.triggers.map(({ id }) => id);
    const body = { ...stored.document, ...withoutIds(document, known), expected_revision: now.revision };
    const { data } = await workspace.put('/v1/workflows/{workflow_id}', { params, body: body as never });
    return { id: data.id, shownOnce: secretsOf(data) };
  },
});

/** Of new webhooks. */
const secretsOf = ({ triggers }: components['schemas']['Workflow']): string[] =>
  triggers.flatMap(({ label, secret, config }) =>
    secret === undefined
      ? []
      : [
          `Webhook ${plain(label)}: ${plain((config as { hookUrl?: string } | null)?.hookUrl)}, secret ${secret}. You see the secret only once.`,
        ],
  );

function workflowOf(workflow: components['schemas']['Workflow']): Stored {
  const { id, title, description, outputFolder, graph } = workflow;
  const triggers = workflow.triggers.map(({ secret: _, schedule, config, ...trigger }) => {
    const { hook_url: __, ...settings } = (snakeCase(config) ?? {}) as Record<string, unknown>;
    return {
      ...trigger,
      ...(schedule == null ? {} : { schedule: withoutNulls(snakeCase(schedule)) }),
      ...(Object.keys(settings).length === 0 ? {} : { config: settings }),
    };
  });
  return { id, name: title, document: { title, description, output_folder: outputFolder, graph, triggers } };
}

/** A trigger of another workspace is a new one here. */
function withoutIds(document: Document, known: readonly string[]): Document {
  if (!Array.isArray(document['triggers'])) return document;
  const triggers = (document['triggers'] as { id?: string }[]).map(({ id, ...trigger }) =>
    id !== undefined && known.includes(id) ? { id, ...trigger } : trigger,
  );
  return { ...document, triggers };
}
