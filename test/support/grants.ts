import { expect } from 'vitest';
import type { Person } from './people.ts';
import type { TestClient } from './workspace.ts';

/** A table of one integer column `a` with one row, as an administrator makes it. */
export async function madeTable(client: TestClient, name: string): Promise<string> {
  const body = { name, kind: 'data', columns: [{ name: 'a', data_type: 'INTEGER' }] };
  const made = await client.call('POST', '/v1/grid/tables', { body });
  expect(made.status, made.text).toBe(201);
  const { tableId } = made.body.data;
  const rows = await client.call('POST', `/v1/tables/${tableId}/rows`, {
    body: { rows: [{ s_id: 1, a: 7 }] },
  });
  expect(rows.status, rows.text).toBe(200);
  return tableId;
}

/** Replaces the grants of a table; returns them as they are then. */
export async function replaceGrants(
  client: TestClient,
  tableId: string,
  grants: object[],
): Promise<object[]> {
  const answer = await client.call('PUT', `/v1/tables/${tableId}/grants`, { body: { grants } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.grants;
}

/** Nobody besides administrators, except this person. */
export const only = (person: Person, access: 'read' | 'write') => [
  { principal: 'user', id: person.id, access },
];
