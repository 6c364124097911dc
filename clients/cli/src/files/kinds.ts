import type { components } from '../../../typescript/src/index.ts';
import { type Context, most, some } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { plain } from '../output.ts';
import { type Document, isEqual, snakeCase } from './documents.ts';

/** Something of the workspace that a file describes, known by its name. */
export interface Stored {
  id: string;
  name: string;
  document: Document;
}

/** How one kind of thing is read and written. A file is `<folder>/<name>.json`. */
export interface Kind {
  folder: string;
  /** The field that is its name, by which a file finds it. */
  nameField: 'title' | 'name';
  list(): Promise<Stored[]>;
  create(document: Document): Promise<Written>;
  /** Fields that the document leaves out keep their values. */
  update(stored: Stored, document: Document): Promise<Written>;
}

export interface Written {
  id: string;
  /** Lines for the person: secrets that no later answer has. */
  shownOnce: string[];
}

const written = (id: string, shownOnce: string[] = []): Written => ({ id, shownOnce });

type Schemas = components['schemas'];

/** Those of the project, and the tests and connections of the organization. */
export async function kindsOf({ workspace, project }: Context): Promise<Kind[]> {
  const project_id = await project();

  const playbooks: Kind = {
    folder: 'playbooks',
    nameField: 'title',
    async list() {
      const path = { project_id };
      const found = await some(most, (page) =>
        workspace.get('/v1/projects/{project_id}/playbooks', { params: { path, query: page } }),
      );
      return found.map((one) => {
        const { id, title, description, instructions, parameters, output, model, effort } = one;
        return {
          id,
          name: title,
          document: { title, description, instructions, parameters, output, model, effort },
        };
      });
    },
    create: async (document) =>
      written(
        (
          await workspace.post('/v1/projects/{project_id}/playbooks', {
            params: { path: { project_id } },
            body: document as never,
          })
        ).data.id,
      ),
    async update({ id }, document) {
      await workspace.patch('/v1/projects/{project_id}/playbooks/{playbook_id}', {
        params: { path: { project_id, playbook_id: id } },
        body: document as never,
      });
      return written(id);
    },
  };

  const workflows: Kind = {
    folder: 'workflows',
    nameField: 'title',
    async list() {
      const found = await some(most, (page) =>
        workspace.get('/v1/workflows', { params: { query: { project_id, ...page } } }),
      );
      return found.filter(({ status, graph }) => status !== 'archived' && graph !== null).map(workflowOf);
    },
    async create(document) {
      const body = { ...withoutIds(document, []), project_id } as never;
      const { data } = await workspace.post('/v1/workflows', { body });
      return written(data.id, secretsOf(data));
    },
    async update(stored, document) {
      const params = { path: { workflow_id: stored.id } };
      const { data: now } = await workspace.get('/v1/workflows/{workflow_id}', { params });
      const known = now.triggers.map(({ id }) => id);
      const body = { ...stored.document, ...withoutIds(document, known), expected_revision: now.revision };
      const { data } = await workspace.put('/v1/workflows/{workflow_id}', { params, body: body as never });
      return written(data.id, secretsOf(data));
    },
  };

  const tests: Kind = {
    folder: 'tests',
    nameField: 'name',
    async list() {
      const found = await some(most, (page) =>
        workspace.get('/v1/verification-tests/definitions', { params: { query: page } }),
      );
      return found.map((one) => {
        const { id, name, description, kind, params, target, severity, blocking, keepRows, enabled } = one;
        const document = {
          name,
          description,
          kind,
          params,
          target: snakeCase(target),
          severity,
          blocking,
          enabled,
        };
        return { id, name, document: { ...document, keep_rows: keepRows } };
      });
    },
    create: async (document) =>
      written(
        (await workspace.post('/v1/verification-tests/definitions', { body: document as never })).data.id,
      ),
    async update({ id, name, document: before }, { kind, ...document }) {
      if (kind !== undefined && kind !== before['kind'])
        throw new Failure(
          `The test ${name} is of the kind ${before['kind']}; another kind needs another name.`,
        );
      await workspace.patch('/v1/verification-tests/definitions/{definition_id}', {
        params: { path: { definition_id: id } },
        body: document as never,
      });
      return written(id);
    },
  };

  const connections: Kind = {
    folder: 'connections',
    nameField: 'name',
    async list() {
      const found = await some(most, (page) =>
        workspace.get('/v1/connections/data', { params: { query: page } }),
      );
      return found.map((one) => {
        const { id, name, type, description, config, secretKeys } = one;
        // Secrets are never answered: each refers to a variable of the environment.
        const secrets = Object.fromEntries(secretKeys.map((key) => [key, `\${${variableOf(name, key)}}`]));
        return { id, name, document: { name, type, description, config, secrets } };
      });
    },
    create: async (document) =>
      written(
        (await workspace.post('/v1/connections/data', { body: withSecrets(document) as never })).data.id,
      ),
    async update({ id }, document) {
      await workspace.patch('/v1/connections/data/{connection_id}', {
        params: { path: { connection_id: id } },
        body: withSecrets(document) as never,
      });
      return written(id);
    },
  };
  return [playbooks, workflows, tests, connections];
}

/** The name in a file. */
export function nameIn({ nameField }: Kind, document: Document, file: string): string {
  const name = document[nameField];
  if (typeof name !== 'string') throw new Failure(`${file} has no ${nameField}.`);
  return name;
}

/** What a file describes, if it is there: names find one thing or none. */
export function sameAs({ folder }: Kind, all: readonly Stored[], name: string): Stored | undefined {
  const same = all.filter((stored) => stored.name === name);
  if (same.length > 1)
    throw new Failure(`The workspace has several ${folder} called ${name}; rename the others.`);
  return same[0];
}

/** Of new webhooks. */
const secretsOf = ({ triggers }: Schemas['Workflow']): string[] =>
  triggers.flatMap(({ label, secret, config }) =>
    secret === undefined
      ? []
      : [
          `Webhook ${plain(label)}: ${plain((config as { hookUrl?: string } | null)?.hookUrl)}, secret ${secret}, shown this once.`,
        ],
  );

function workflowOf(workflow: Schemas['Workflow']): Stored {
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

const withoutNulls = (value: unknown) =>
  Object.fromEntries(Object.entries(value as object).filter(([, member]) => member !== null));

/** A trigger of another workspace is a new one here. */
function withoutIds(document: Document, known: readonly string[]): Document {
  if (!Array.isArray(document['triggers'])) return document;
  const triggers = (document['triggers'] as { id?: string }[]).map(({ id, ...trigger }) =>
    id !== undefined && known.includes(id) ? { id, ...trigger } : trigger,
  );
  return { ...document, triggers };
}

const variableOf = (name: string, key: string) =>
  `${name}_${key}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

/** `${NAME}` is the variable of the environment; a secret that is written in a file is refused. */
function withSecrets(document: Document): Document {
  const { secrets, ...rest } = document;
  if (secrets === undefined) return document;
  const values = Object.entries(secrets as Record<string, unknown>).map(([key, text]) => {
    const name = /^\$\{([A-Z_][A-Z0-9_]*)\}$/i.exec(String(text))?.[1];
    if (name === undefined)
      throw new Failure(`Secrets belong in the environment: write \${NAME} for ${key}.`, exitCodes.usage);
    const value = process.env[name];
    if (value === undefined)
      throw new Failure(`The variable ${name} is not set; the secret ${key} needs it.`);
    return [key, value] as const;
  });
  return { ...rest, secrets: Object.fromEntries(values) };
}

/** Fields of a file that differ from what is stored. Secrets cannot be compared. */
export const changedFields = (stored: Stored, document: Document): string[] =>
  Object.keys(document).filter((key) => key !== 'secrets' && !isEqual(document[key], stored.document[key]));
