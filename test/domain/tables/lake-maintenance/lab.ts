import { afterAll, beforeAll, expect } from 'vitest';
import type { LakeDeps } from '../../../../data/lake/commit.ts';
import type { Lake } from '../../../../data/lake/provision.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import type { MaintainedTable } from '../../../../domain/tables/lake-maintenance/tables.ts';
import { openOtherLakes } from '../../../support/lakes.ts';
import type { TestClient, Workspace } from '../../../support/workspace.ts';

/**
 * Lakes of a second engine: maintenance runs in another process than the API, which caches what it has seen.
 */
export function useMaintainedLakes(workspace: Workspace): { lake: LakeDeps } {
  const lakes = {} as { lake: LakeDeps };
  let close: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    const opened = openOtherLakes(workspace.databaseUrl, 'maintenance');
    lakes.lake = opened.lake;
    close = opened.close;
  });
  afterAll(() => close());
  return lakes;
}

export interface LabTable extends MaintainedTable {
  client: TestClient;
  lake: Lake;
  append(rows: readonly Record<string, unknown>[]): Promise<number>;
  upsert(rows: readonly Record<string, unknown>[]): Promise<number>;
  /** Every version until now with what a reader gets at it. */
  remember(): Promise<Map<number, string>>;
  /** What a reader gets at a version: an answer, or the code of its refusal. */
  readAt(version: number): Promise<string>;
  /** The newest rows, by user SQL. */
  select(sql: string): Promise<unknown[]>;
}

/** A data table in its own organization. */
export async function newTable(workspace: Workspace, columns: readonly object[]): Promise<LabTable> {
  const client = await workspace.organization();
  const name = 'readings';
  const made = await client.call('POST', '/v1/grid/tables', { body: { name, kind: 'data', columns } });
  expect(made.status, made.text).toBe(201);
  const id = made.body.data.tableId as string;
  const lake = await workspace.deps.lake.catalog.get(client.organizationId);
  const write = async (method: 'POST' | 'PUT', rows: readonly Record<string, unknown>[]) => {
    const answer = await client.call(method, `/v1/tables/${id}/rows`, { body: { rows } });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.tableVersion as number;
  };
  const readAt = async (version: number) => {
    const answer = await client.call('GET', `/v1/tables/${id}/rows?version=${version}&limit=200`);
    return answer.status === 200 ? JSON.stringify(answer.body) : (answer.body.code as string);
  };
  return {
    client,
    lake,
    organizationId: client.organizationId,
    id,
    name,
    append: (rows) => write('POST', rows),
    upsert: (rows) => write('PUT', rows),
    readAt,
    async remember() {
      const { rows } = await query<{ version: number }>(
        workspace,
        `SELECT DISTINCT snapshot_id AS version FROM ${identifier(lake.schema)}.workspace_operation ORDER BY 1`,
      );
      const found = new Map<number, string>();
      for (const { version } of rows) found.set(version, await readAt(version));
      return found;
    },
    async select(sql) {
      const answer = await client.call('POST', '/v1/query-executions', { body: { sql, row_format: 'rows' } });
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data.rows;
    },
  };
}

export function query<T extends Record<string, unknown>>(workspace: Workspace, sql: string) {
  return workspace.deps.lake.catalogPool.query<T>(sql);
}

export async function count(workspace: Workspace, lake: Lake, from: string): Promise<number> {
  const { rows } = await query<{ n: number }>(
    workspace,
    `SELECT count(*) AS n FROM ${identifier(lake.schema)}.${from}`,
  );
  return rows[0]!.n;
}

/** Files that the newest snapshot reads. */
export function liveFiles(workspace: Workspace, { lake }: LabTable): Promise<number> {
  return count(workspace, lake, 'ducklake_data_file WHERE end_snapshot IS NULL');
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
