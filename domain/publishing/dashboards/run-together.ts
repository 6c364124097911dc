import { type Query, type QueryDeps, type QueryResult, runQuery } from '../../tables/query/run.ts';

/** Of statements that are asked together, as many run at once. */
const togetherAtOnce = 4;

/**
 * Runs statements of one organization. One that fails leaves the others.
 *
 * A stand-in with the signature of the function in `domain/tables/query/run.ts`, which reads all of them from
 * one snapshot.
 */
export async function runTogether(
  deps: QueryDeps,
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<{ snapshotId: number; results: PromiseSettledResult<QueryResult>[] }> {
  const results: PromiseSettledResult<QueryResult>[] = [];
  const left = [...queries.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, query] = next;
      [results[index]] = (await Promise.allSettled([runQuery(deps, query, signal)])) as [
        PromiseSettledResult<QueryResult>,
      ];
    }
  };
  await Promise.all(Array.from({ length: togetherAtOnce }, worker));
  const snapshots = results.map((result) =>
    result.status === 'fulfilled' ? result.value.answer.snapshotId : 0,
  );
  return { snapshotId: Math.max(0, ...snapshots), results };
}
