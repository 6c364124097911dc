import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { type RecordOf, type RowLock, records } from '../../../data/postgres/records.ts';
import type { Analyzed, ColumnedRelation } from '../../../packages/sql-guard/index.ts';

/** The SELECT of a view or calculated table; it has the id of its row among the tables. */
export type Definition = RecordOf<'definitions'>;

/** A definition with the row of its view or table. */
export type Defined = Definition & Pick<RecordOf<'tables'>, 'name' | 'kind' | 'status' | 'updated_at'>;

/** What the engine said about a query, and about which columns of what it reads. */
export interface StoredAnalysis {
  relations: ColumnedRelation[];
  analyzed: Analyzed;
}

/** What the content of a calculated table was built from. Versions are snapshot numbers of the lake. */
export interface BuildRecord {
  runId: string;
  operationId: string;
  version: number;
  /** Revision of the definition. */
  revision: number;
  /** The version of each table that was read, also behind views. */
  read: Record<string, number>;
  /** Versions of the tables at the sources: read, or behind the calculated ones. */
  sources: Record<string, number>;
  /** Revisions of the views that were read. */
  views: Record<string, number>;
  mode: 'full' | 'incremental';
  rowsRead: number;
  rowCount: number;
  /** Columns and types of all that was read, in a few characters. */
  shape: string;
  /** Files with what is kept for each group, for the next build. */
  groupFiles: string[];
  elapsedMs: number;
  builtAt: string;
}

/** What a process says besides, whose new content a blocking test refused. */
export interface Refusal {
  definitionIds?: string[];
  /** The run of tests. */
  runId?: string;
  failuresTableIds?: string[];
  /** The first of them. */
  failuresTableId?: string;
}

export interface BuildFailure {
  code: string;
  message: string;
  refusal?: Refusal;
  runId: string;
  at: string;
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    definitions: {
      analysis: Document<StoredAnalysis | null>;
      built: Document<BuildRecord | null>;
      failure: Document<BuildFailure | null>;
    };
    builds: { built: Document<BuildRecord | null> };
  }
}

const definitions = records('definitions', { prefix: undefined, what: 'The definition' });

export const {
  find: findDefinition,
  get: getDefinition,
  insert: insertDefinition,
  update: updateDefinition,
} = definitions;

export const analysisOf = ({ analysis }: Pick<Definition, 'analysis'>): StoredAnalysis | undefined =>
  analysis ?? undefined;
export const builtOf = ({ built }: Pick<Definition, 'built'>): BuildRecord | undefined => built ?? undefined;
export const failureOf = ({ failure }: Pick<Definition, 'failure'>): BuildFailure | undefined =>
  failure ?? undefined;

/** The definitions with these ids whose views and tables are there; all without ids. */
export async function listDefined(
  db: OrganizationTransaction,
  organizationId: string,
  { ids, kind, lock }: { ids?: readonly string[]; kind?: 'view' | 'calc'; lock?: RowLock } = {},
): Promise<Defined[]> {
  if (ids?.length === 0) return [];
  let query = db
    .selectFrom('definitions')
    .innerJoin('tables', (join) =>
      join
        .onRef('tables.organization_id', '=', 'definitions.organization_id')
        .onRef('tables.id', '=', 'definitions.id'),
    )
    .selectAll('definitions')
    .select(['tables.name', 'tables.kind', 'tables.status', 'tables.updated_at'])
    .where('definitions.organization_id', '=', organizationId)
    .where('tables.status', '=', 'ready');
  if (ids !== undefined) query = query.where('definitions.id', 'in', ids);
  if (kind !== undefined) query = query.where('tables.kind', '=', kind);
  if (lock !== undefined) query = query.forUpdate('definitions');
  return query.orderBy('definitions.id').execute();
}

/** Serialises everything that changes what definitions read, so that no two changes close a circle. */
export async function lockDefinitions(db: OrganizationTransaction, organizationId: string): Promise<void> {
  await lockByName(db, `definitions of ${organizationId}`);
}

/** Replaces what a definition reads. What it names is there, and stays until it no longer names it. */
export async function replaceReads(
  db: OrganizationTransaction,
  organizationId: string,
  definitionId: string,
  relationIds: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('definition_reads')
    .where('organization_id', '=', organizationId)
    .where('definition_id', '=', definitionId)
    .execute();
  if (relationIds.length === 0) return;
  await db
    .insertInto('definition_reads')
    .values(
      relationIds.map((relationId) => ({
        organization_id: organizationId,
        definition_id: definitionId,
        relation_id: relationId,
      })),
    )
    .execute();
}

/** Keeps what the engine said, unless the query was changed meanwhile. */
export async function keepAnalysis(
  db: OrganizationTransaction,
  { organization_id: organizationId, id, revision }: Definition,
  analysis: StoredAnalysis,
): Promise<void> {
  await db
    .updateTable('definitions')
    .set({ analysis: JSON.stringify(analysis) })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .execute();
}
