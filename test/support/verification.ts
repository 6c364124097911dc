import { expect } from 'vitest';
import { shaping } from './calculated.ts';
import { eventually } from './eventually.ts';
import type { TestClient } from './workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

/** Shorthands for tests of tables. */
export function verifying(client: TestClient) {
  const on = shaping(client);
  const path = '/v1/verification-tests';
  const ended = async (id: string): Promise<Data> => {
    const { body } = await eventually(
      () => client.call('GET', `${path}/runs/${id}`),
      ({ body }) => body.data.finishedAt !== null,
    );
    return body.data;
  };
  return {
    ...on,
    ended,
    async define(tableId: string, kind: string, params: object, more: object = {}): Promise<string> {
      const body = { name: kind, kind, params, target: { table_id: tableId }, ...more };
      return (await on.must('POST', `${path}/definitions`, 201, body)).id;
    },
    async overlay(definitionId: string, body: object): Promise<string> {
      return (await on.must('POST', `${path}/overlays`, 201, { definition_id: definitionId, ...body })).id;
    },
    async verified(body: object): Promise<Data> {
      const run = await ended((await on.must('POST', `${path}/runs`, 202, body)).id);
      expect(run.status, JSON.stringify(run)).toBe('succeeded');
      return run;
    },
    verification: (tableId: string): Promise<Data> =>
      on.must('GET', `/v1/tables/${tableId}/verification`, 200),
  };
}
