import type { Workspace } from '../../../typescript/src/index.ts';
import { some } from '../../../typescript/src/index.ts';
import { most } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import type { Document } from './documents.ts';
import type { Kind } from './kind.ts';

export const connectionsKind = (workspace: Workspace): Kind => ({
  folder: 'connections',
  nameFields: ['name'],
  async list() {
    const found = await some(most, (page) =>
      workspace.get('/v1/connections/data', { params: { query: page } }),
    );
    return found.map((connection) => {
      const { id, name, type, description, config, secretKeys } = connection;
      // Secrets are never answered: each refers to a variable of the environment.
      const secrets = Object.fromEntries(secretKeys.map((key) => [key, `\${${variableOf(name, key)}}`]));
      return { id, name, document: { name, type, description, config, secrets } };
    });
  },
  async create(document) {
    const { data } = await workspace.post('/v1/connections/data', { body: withSecrets(document) as never });
    return { id: data.id };
  },
  async update({ id }, document) {
    await workspace.patch('/v1/connections/data/{connection_id}', {
      params: { path: { connection_id: id } },
      body: withSecrets(document) as never,
    });
    return { id };
  },
});

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
      throw new Failure(
        `Keep secrets in environment variables. For ${key}, write \${NAME}.`,
        exitCodes.usage,
      );
    const value = process.env[name];
    if (value === undefined)
      throw new Failure(`The environment variable ${name} isn't set. The secret ${key} needs it.`);
    return [key, value] as const;
  });
  return { ...rest, secrets: Object.fromEntries(values) };
}
