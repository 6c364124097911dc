import { expect } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { type QueryDeps, type QueryResult, runQuery } from '../../../../domain/tables/query/run.ts';
import { changingTable } from '../../../support/changing-table.ts';
import type { TestClient, Workspace } from '../../../support/workspace.ts';

const readings = (name: string) => [
  `SELECT * FROM ${name}`,
  `SELECT count(*) AS n, count(DISTINCT s_id) AS ids, min(s_id) AS least FROM ${name} WHERE s_id > 7`,
];

/**
 * Does random things to a table, and after each reads it by its files and through the lake: types, order of columns
 * and all values must be the same. Gives how many statements were read by files.
 */
export async function readBothWays(
  workspace: Workspace,
  client: TestClient,
  { seed, steps, name }: { seed: number; steps: number; name: string },
): Promise<{ plain: number; compared: number }> {
  const { lake: deps } = workspace.deps;
  const table = await changingTable(workspace, client, { seed, name });
  const read = readings(name);
  const answer = async (sql: string, layouts: QueryDeps['lake']['layouts']) =>
    runQuery(
      { ...workspace.deps, lake: { ...deps, layouts } },
      {
        ...{ organizationId: client.organizationId, callerId: client.clientId, id: newId('qry'), sql },
        ...{ limit: 100_000, timeoutMs: 60_000, rowFormat: 'rows_with_column_order', atVersions: {} },
      },
      AbortSignal.timeout(120_000),
    );

  let plain = 0;
  let compared = 0;
  const compare = async (sql: string, done: string) => {
    const [ours, theirs] = [await answer(sql, deps.layouts), await answer(sql, undefined)];
    expect(comparable(ours), `step ${compared}, ${done}, seed ${seed}`).toEqual(comparable(theirs));
    compared += 1;
    const plan = await answer(`EXPLAIN ${sql}`, deps.layouts);
    if (/read from/.test(plan.answer.rowsWithColumnOrderJson ?? '')) plain += 1;
  };
  for (let step = 0; step < steps; step += 1) {
    const done = await table.change();
    await compare(table.pick(read), done);
  }
  for (const sql of read) await compare(sql, 'all');
  return { plain, compared };
}

/** An answer whose rows are in no order. */
function comparable({ answer, scanned }: QueryResult) {
  const rows = JSON.parse(answer.rowsWithColumnOrderJson ?? '[]') as unknown[];
  return { columns: answer.columns, rows: rows.map((row) => JSON.stringify(row)).sort(), scanned };
}
