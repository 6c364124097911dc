import { inliningRowLimit } from '../../../data/lake/engine/local.ts';
import type { TableDeps } from '../tables/deps.ts';
import { refuseUnlessWritable } from '../tables/grants.ts';
import { admit, type Planned, resolveAll, sharedCommit, type Waiting } from './append-group.ts';
import { fitsCatalog, type KeyedTable, RowIdsTaken, writeToCatalog } from './write-appended.ts';

/**
 * Settles in one statement those requests of a group that fit the table as it was known before, if it still
 * is that; gives the others, which are untouched.
 */
export async function commitAsKnown(
  deps: TableDeps,
  table: KeyedTable,
  group: readonly Waiting[],
): Promise<readonly Waiting[]> {
  const lake = await deps.lake.catalog.get(group[0]!.request.organizationId);
  const planned = await Promise.all(
    group.map(async (waiting) => {
      try {
        refuseUnlessWritable(table.access, waiting.principalId);
        return [{ waiting, plan: await waiting.request.body.plan(table.columns, table.keys, 'required') }];
      } catch {
        // The request at fault is found by the state of the table then.
        return [];
      }
    }),
  );
  const few = planned.flat().filter(({ plan }) => fitsCatalog(table, [plan]));
  const settled = new Set<Waiting>();
  for (const share of sharesOf(admit(few, new Set()).admitted)) {
    const version = await writeToCatalog(deps.lake, lake, table, sharedCommit(share)).catch(unlessTaken);
    if (version === undefined) break;
    resolveAll(share, version);
    for (const { waiting } of share) settled.add(waiting);
  }
  return group.filter((waiting) => !settled.has(waiting));
}

function unlessTaken(error: unknown): undefined {
  if (!(error instanceof RowIdsTaken)) throw error;
}

/** Beyond as many commits to the catalog, one of an engine is faster. */
const mostShares = 4;

/** Requests in order, as many together as one commit to the catalog takes; none if there are too many. */
function sharesOf(admitted: readonly Planned[]): Planned[][] {
  const shares: Planned[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const planned of admitted) {
    rows += planned.plan.rowIds.length;
    if (rows > inliningRowLimit) {
      shares.push([]);
      rows = planned.plan.rowIds.length;
    }
    shares.at(-1)!.push(planned);
  }
  return shares.length > mostShares ? [] : shares;
}
