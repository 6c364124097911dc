import {
  getTestDefinition,
  listTestDefinitions,
  removeTestDefinition,
} from '../../../domain/tables/verification/definitions.ts';
import { changeTestDefinition, createTestDefinition } from '../../../domain/tables/verification/write.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { clientGone } from '../../reply.ts';
import { resource } from '../../resource.ts';
import {
  changeDefinitionBody,
  createDefinitionBody,
  definitionExample,
  definitionSchema,
  definitionView,
  targetOf,
  writtenOf,
} from './definition-schemas.ts';

/** What should hold of tables, as administrators write it. */
export function testDefinitionsRoutes(app: Routes, deps: ApiDeps): void {
  const definitions = resource(app, deps, {
    tag: {
      name: 'Verification Tests',
      description:
        'Test the data of tables: definitions, overlays for some tables, and runs with their results.',
    },
    path: '/v1/verification-tests/definitions/:definition_id',
    schema: definitionSchema,
    example: definitionExample,
    load: (db, organizationId, { definition_id: id }) => getTestDefinition(db, organizationId, id),
    view: definitionView,
  });

  definitions.list({
    summary: 'List test definitions, newest first',
    operationId: 'listTestDefinitions',
    admin: true,
    rows: (db, { organizationId }, slice) => listTestDefinitions(db, organizationId, slice),
  });
  definitions.create({
    summary: 'Create a test definition',
    operationId: 'createTestDefinition',
    audit: 'test_definition.created',
    description:
      'The service checks the definition as far as possible: the parameters of its kind, and for a single table also its columns and the SQL. What a selector finds is checked when the test runs. SQL uses the rights of the person who wrote it. Anyone who can read the tested table can see its failing rows.',
    admin: true,
    body: createDefinitionBody,
    errors: ['not_found', 'conflict', 'limit_reached', 'queries_saturated'],
    run: ({ organizationId, caller, body, newId, reply }) =>
      createTestDefinition(
        deps,
        { organizationId, id: newId('vtd'), callerId: caller.id, signal: clientGone(reply) },
        writtenOf(body),
      ),
  });
  definitions.show({ summary: 'Show a test definition', operationId: 'getTestDefinition', admin: true });
  definitions.change({
    summary: 'Change a test definition',
    operationId: 'updateTestDefinition',
    audit: 'test_definition.updated',
    description: 'Fields that you omit keep their values. `params` and `target` are replaced as a whole.',
    admin: true,
    body: changeDefinitionBody,
    errors: ['revision_conflict', 'queries_saturated'],
    run: ({ organizationId, caller, params, body, reply }) => {
      const { expected_revision: expectedRevision, keep_rows: keepRows, target, ...rest } = body;
      return changeTestDefinition(
        deps,
        { organizationId, id: params.definition_id, callerId: caller.id, signal: clientGone(reply) },
        {
          ...rest,
          ...(keepRows === undefined ? {} : { keepRows }),
          ...(target === undefined ? {} : { target: targetOf(target) }),
          expectedRevision,
        },
      );
    },
  });
  definitions.remove({
    summary: 'Delete a test definition',
    operationId: 'deleteTestDefinition',
    audit: 'test_definition.deleted',
    description: 'This also deletes its overlays. Results of earlier runs stay.',
    admin: true,
    run: ({ organizationId, params, transaction }) =>
      transaction(async (db) => {
        const row = await getTestDefinition(db, organizationId, params.definition_id, 'update');
        await removeTestDefinition(db, organizationId, row.id);
        return row;
      }),
  });
}
