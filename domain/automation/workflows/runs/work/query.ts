import { newId } from '../../../../../data/ids.ts';
import type { QueryRelation } from '../../../../tables/query/request.ts';
import { type QueryResult, runQuery } from '../../../../tables/query/run.ts';
import { type StoredRows, storeRows } from '../../../../tables/stored-results/stored-results.ts';
import { type NodeCall, NodeFailed, type NodeWork } from '../node-work.ts';
import { dataVersionsOf } from '../workflow-runs.ts';

const maxRows = 10_000;
const maxCharacters = 8_000_000;
const timeoutMs = 120_000;

/** Runs a statement as the workflow's owner, at the versions to which the run is pinned. */
export async function runPinned(
  { deps, run, sqlValues, signal }: NodeCall,
  sql: string,
  { limit, views = [] }: { limit: number; views?: readonly QueryRelation[] },
): Promise<QueryResult> {
  return runQuery(
    deps,
    {
      organizationId: run.organization_id,
      callerId: run.owner_id,
      ownerId: run.owner_id,
      id: newId('qry'),
      sql,
      values: sqlValues,
      limit,
      timeoutMs,
      rowFormat: 'rows_with_column_order',
      atVersions: Object.fromEntries(dataVersionsOf(run).map(({ tableId, version }) => [tableId, version])),
      views,
    },
    signal,
  );
}

export const queryWork: NodeWork = async (call) => {
  const { sql } = call.config as { sql: string };
  const { answer } = await runPinned(call, sql, { limit: maxRows });
  if (answer.truncated || (answer.rowsWithColumnOrderJson ?? '').length > maxCharacters)
    throw new NodeFailed(
      'query_too_large',
      `The query returns more than ${maxRows} rows or 8 million characters. Aggregate the rows, or select fewer.`,
      { isFinal: true },
    );
  const rows: StoredRows = await storeRows(call.deps.objects, keyOf(call), answer);
  return { kind: 'done', outputs: { rows: { type: 'rows', rows } } };
};

const keyOf = ({ run, node, state }: NodeCall): string =>
  `${run.organization_id}/workflow-runs/${run.id}/${node.id}.${state.attempts}.json`;
