import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestClient } from './workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

/** Shorthands for tables, views and calculated tables of one client. */
export function shaping(client: Pick<TestClient, 'call'>) {
  const must = async (
    method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE',
    path: string,
    status: number,
    body?: object,
  ) => {
    const answer = await client.call(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(status);
    return answer.body.data;
  };
  const status = (id: string): Promise<Data> => must('GET', `/v1/grid/tables/${id}/status`, 200);
  const ended = async (id: string, run: Data): Promise<Data> => {
    const { body } = await eventually(
      () => client.call('GET', `/v1/grid/tables/${id}/runs/${run.id}`),
      ({ body }) => body.data.finishedAt !== null,
    );
    return body.data;
  };
  return {
    status,
    ended,
    /** A data table with these columns: name to type. */
    async data(name: string, columns: Record<string, string>): Promise<string> {
      const list = Object.entries(columns).map(([column, type]) => ({ name: column, data_type: type }));
      return (await must('POST', '/v1/grid/tables', 201, { name, kind: 'data', columns: list })).tableId;
    },
    async append(id: string, rows: object[]): Promise<number> {
      return (await must('POST', `/v1/tables/${id}/rows`, 200, { rows })).tableVersion;
    },
    async calc(name: string, query: string, more: object = {}): Promise<string> {
      return (await must('POST', '/v1/grid/tables', 201, { name, query, ...more })).tableId;
    },
    async view(name: string, query: string): Promise<string> {
      return (await must('POST', '/v1/views', 201, { name, query })).id;
    },
    async materialized(id: string): Promise<Data> {
      return ended(id, await must('POST', `/v1/grid/tables/${id}/materialize`, 202));
    },
    async synced(id: string, downstream = false): Promise<Data> {
      return ended(id, await must('POST', `/v1/grid/tables/${id}/sync`, 202, { downstream }));
    },
    async rows(sql: string): Promise<Data[]> {
      const body = { sql, row_format: 'rows', limit: 10_000 };
      const answer = await client.call('POST', '/v1/query-executions', { body });
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data.rows;
    },
    must,
  };
}
