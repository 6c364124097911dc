import { beforeAll, expect, test } from 'vitest';
import { useWorkspace } from '../support/workspace.ts';

/**
 * What common generators stop at, or make of the document. The long ring has their clients compiled; two of
 * them go through a tour in `clients/tours.test.ts`.
 */
const workspace = useWorkspace();

// biome-ignore lint/suspicious/noExplicitAny: the document has any shape.
let document: any;
beforeAll(async () => {
  document = (await workspace.call('GET', '/openapi.json')).body;
});

test('no schema of the document is a bare true or false, which generators stop at', () => {
  expect(bareSchemas(document, [])).toEqual([]);
});

/** Keys that contain schemas: in maps and in lists of them. */
function bareSchemas(part: unknown, at: string[]): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const isMapOrList = ['properties', 'patternProperties', '$defs', 'allOf', 'anyOf', 'oneOf'].includes(
    at.at(-1)!,
  );
  return Object.entries(part).flatMap(([key, value]) => {
    const isBare = typeof value === 'boolean' && (isMapOrList || ['items', 'not', 'schema'].includes(key));
    return isBare ? [[...at, key].join('/')] : bareSchemas(value, [...at, key]);
  });
}

test('alternatives of a body are whole objects, and each has only what it takes', () => {
  const schemaOf = (path: string) => document.paths[path].post.requestBody.content['application/json'].schema;
  const shapes = (path: string) =>
    schemaOf(path).oneOf.map(
      (one: { properties: object; required: string[]; additionalProperties: unknown }) => [
        Object.keys(one.properties).sort().join(' '),
        [...one.required].sort().join(' '),
        one.additionalProperties,
      ],
    );
  expect(shapes('/v1/projects/{project_id}/reports')).toEqual([
    ['content title', 'content title', false],
    ['effort model prompt title', 'prompt', false],
  ]);
  const [, byId] = schemaOf('/v1/table-imports').oneOf;
  expect(byId.properties).not.toHaveProperty('table_name');
  expect(byId.properties.mode).toEqual({ type: 'string', enum: ['replace', 'append'] });
});

test('an enumeration has one name, and an answer says its status', () => {
  expect(document.components.schemas.RunStatus.enum).toContain('waiting');
  expect(document.components.schemas.Run.properties.status.$ref).toBe('#/components/schemas/RunStatus');
  expect(JSON.stringify(document.paths)).not.toContain('Default Response');
});
