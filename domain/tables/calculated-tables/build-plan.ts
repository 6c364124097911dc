import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { tableStatistics, versionsAt } from '../../../data/lake/ledger.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type BuildRecord, builtOf, type Defined, listDefined } from '../derived-relations/definitions.ts';
import type { QueryRelation } from '../query/pool/pool.ts';
import { tablesAmong } from '../query/relation-tables.ts';
import { relationsFor, visibleToDefiners } from '../query/relations.ts';
import { readsThrough, type Surroundings, sourcesRead, surroundings } from './freshness.ts';
import { listBuilds, type Materialization } from './materializations.ts';

export interface PlannedRead {
  definition: Defined;
  around: Surroundings;
  relations: QueryRelation[];
  /** The snapshot at which each table is read, by name. */
  atVersions: Map<string, number>;
  /** Names of those tables, by id. */
  names: Map<string, string>;
  read: Record<string, number>;
  sources: Record<string, number>;
  views: Record<string, number>;
  rowsRead: number;
}

/** What a build reads: sources at the snapshot of its run, and what the run has built as it was built. */
export async function planBuild(
  { catalog, catalogPool }: Pick<LakeDeps, 'catalog' | 'catalogPool'>,
  db: OrganizationTransaction,
  { organization_id: organizationId, id: runId, snapshot_id: snapshotId }: Materialization,
  tableId: string,
): Promise<PlannedRead> {
  if (snapshotId === null) throw new AppError('conflict', "The run hasn't begun yet.");
  const { schema } = await catalog.get(organizationId);
  const [definition] = await listDefined(db, organizationId, { ids: [tableId] });
  if (definition === undefined) throw new AppError('not_found', 'The calculated table was deleted.');
  const builds = await listBuilds(db, organizationId, { runId });
  const builtNow = new Map(
    builds.flatMap(({ table_id: id, built }) => (built === null ? [] : [[id, built] as const])),
  );
  const around = await surroundings(db, organizationId, [tableId], new Map());
  const { tables, views } = readsThrough(around, tableId);
  const pinned = await versionsAt(catalogPool, schema, tables, snapshotId);
  const read = Object.fromEntries(
    tables.flatMap((id) => {
      const version = builtNow.get(id)?.version ?? pinned.get(id);
      return version === undefined ? [] : [[id, version]];
    }),
  );
  const statistics = await tableStatistics(catalogPool, schema, tables);
  const known = await recordsRead(db, organizationId, around, read, builtNow);
  // Last, because it leaves the transaction with another principal.
  const { relations: visible } = await visibleToDefiners(db, organizationId)(definition.defined_by);
  const relations = await relationsFor(db, organizationId, visible, [definition.query]);
  const named = tablesAmong(relations).filter(({ id }) => id in read);
  return {
    definition,
    around,
    relations,
    atVersions: new Map(named.map(({ id, name }) => [name, builtNow.get(id)?.version ?? snapshotId])),
    names: new Map(named.map(({ id, name }) => [id, name])),
    read,
    sources: sourcesRead(around, read, known),
    views: Object.fromEntries(views.map((id) => [id, around.defined.get(id)!.revision])),
    rowsRead: tables.reduce((sum, id) => sum + (statistics.get(id)?.rowCount ?? 0), 0),
  };
}

/** From what the calculated tables that are read were built, in the very version that is read. */
async function recordsRead(
  db: OrganizationTransaction,
  organizationId: string,
  { defined }: Surroundings,
  read: Readonly<Record<string, number>>,
  builtNow: ReadonlyMap<string, BuildRecord>,
): Promise<Map<string, BuildRecord>> {
  const records = new Map(builtNow);
  for (const [id, version] of Object.entries(read)) {
    const definition = defined.get(id);
    if (definition === undefined || builtNow.has(id)) continue;
    const current = builtOf(definition);
    if (current?.version === version) continue;
    const earlier = await db
      .selectFrom('builds')
      .select('built')
      .where('organization_id', '=', organizationId)
      .where('table_id', '=', id)
      .where('status', '=', 'succeeded')
      .where(sql<boolean>`(built ->> 'version')::bigint = ${version}`)
      // A refresh that added no row has the version of the one before.
      .orderBy('finished_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    const record = earlier?.built;
    // Unknown: as if it were older than anything, so that the result counts as stale.
    const forgotten = Object.fromEntries(Object.keys(current?.sources ?? {}).map((source) => [source, 0]));
    records.set(id, record ?? ({ sources: forgotten } as unknown as BuildRecord));
  }
  return records;
}
