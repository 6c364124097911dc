import type { Workspace } from '../../../typescript/src/index.ts';
import { some } from '../../../typescript/src/index.ts';
import { most } from '../context.ts';
import { Failure } from '../failure.ts';
import { snakeCase } from './documents.ts';
import type { Kind } from './kind.ts';

export const testsKind = (workspace: Workspace): Kind => ({
  folder: 'tests',
  nameFields: ['name'],
  async list() {
    const found = await some(most, (page) =>
      workspace.get('/v1/verification-tests/definitions', { params: { query: page } }),
    );
    return found.map((definition) => {
      const { id, name, description, kind, params, target, severity, blocking, keepRows, enabled } =
        definition;
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
  async create(document) {
    const { data } = await workspace.post('/v1/verification-tests/definitions', { body: document as never });
    return { id: data.id };
  },
  async update({ id, name, document: before }, { kind, ...document }) {
    if (kind !== undefined && kind !== before['kind'])
      throw new Failure(
        `The test ${name} has the kind ${before['kind']}, which can't change. Use another name for another kind.`,
      );
    await workspace.patch('/v1/verification-tests/definitions/{definition_id}', {
      params: { path: { definition_id: id } },
      body: document as never,
    });
    return { id };
  },
});
