import { expect, test } from 'vitest';
import { auditActions } from '../../../api/plugins/audit-action.ts';

const read = { method: 'GET', url: '/v1/things/:id', operationId: 'getThingCatalog', isPublic: false };
const change = { ...read, method: 'PATCH', operationId: 'updateThing' };

test('a route that changes something and has a caller says what it is in the audit', () => {
  expect(() => auditActions({ ...change, declared: undefined })).toThrow(
    'PATCH /v1/things/:id (updateThing)',
  );
  expect(auditActions({ ...change, declared: 'thing.updated' })).toEqual({
    done: 'thing.updated',
    refused: 'thing.updated',
  });
  expect(auditActions({ ...change, isPublic: true, declared: undefined }).done).toBeUndefined();
});

test('what is recorded only when it is refused is named after its operation', () => {
  expect(auditActions({ ...read, declared: undefined })).toEqual({
    done: undefined,
    refused: 'thing_catalog.read',
  });
  expect(auditActions({ ...read, declared: 'thing.exported' }).done).toBe('thing.exported');
  expect(auditActions({ ...change, operationId: 'runThing', declared: { none: 'It only reads.' } })).toEqual({
    done: undefined,
    refused: 'run_thing.read',
  });
});
