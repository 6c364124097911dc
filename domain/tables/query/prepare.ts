import type { LakeDeps } from '../../../data/lake/commit.ts';
import { newestSnapshot } from '../../../data/lake/ducklake/snapshots.ts';
import type { TablesAtSnapshot } from '../../../data/lake/layouts.ts';
import { versionsAt } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { withParameters } from '../../../packages/sql-guard/index.ts';
import type { NamedTable } from '../tables/registry.ts';
import { type AskedVersion, askedVersions } from './asked-versions.ts';
import { type CatalogTable, catalogTables, mayNameCatalog } from './catalog-tables.ts';
import { lookAtTables, mayNameTables, mayReadPlain, namedTables, readNothing, textsOf } from './plain.ts';
import { isRepeatable } from './remembered-answers.ts';
import type { Names, RememberedNames } from './remembered-names.ts';
import type { CellValue, QueryRelation, QueryRequest, SqlValues } from './request.ts';

export interface PrepareDeps {
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool' | 'layouts'>;
  names: RememberedNames;
}

/** What decides what a statement reads. */
export interface ToPrepare {
  organizationId: string;
  callerId: string;
  actsFor?: readonly string[];
  sql: string;
  values?: SqlValues;
  parameters?: ReadonlyMap<string, CellValue>;
  limit: number;
  atVersions: Readonly<Record<string, number>>;
  within?: ReadonlySet<string>;
  views?: readonly QueryRelation[];
  /** The moment at which all tables are read; the newest if left out. */
  moment?: TablesAtSnapshot;
}

export type Statement = Pick<QueryRequest, 'location' | 'plain' | 'relations' | 'sql' | 'atVersions'> &
  Required<Pick<QueryRequest, 'parameters' | 'tableSources'>>;

export interface Prepared {
  lake: Lake;
  /** As DuckLake reads it. */
  statement: Statement;
  /** The same with tables read by their files, and the version of each table that it may name. */
  plain: { statement: Statement; versions: ReadonlyMap<string, number> } | undefined;
  /** Ids of the tables that it may name. */
  tableIds: ReadonlySet<string>;
  atVersions: ReadonlyMap<NamedTable, AskedVersion>;
  /** All that its answer depends on, besides its format; undefined if that cannot be said. */
  key: string | undefined;
}

/**
 * Finds what a statement may read, with as few questions to the database as that takes: none if it names
 * nothing, and one if its names are remembered.
 *
 * @throws ValidationError where `atVersions` names no table, AppError version_expired
 */
export async function prepare({ lake: lakes, names }: PrepareDeps, query: ToPrepare): Promise<Prepared> {
  const { organizationId, sql, views = [], within } = query;
  const lake = await lakes.catalog.get(organizationId);
  const parameterized = withWritten(withParameters(sql, query.values ?? new Map()), query.parameters);
  const ownRelations = [...views, ...parameterized.relations];
  const statementOf = (relations: readonly QueryRelation[]): Statement => ({
    ...{ location: lake.reader, ...parameterized },
    ...{ relations: [...relations, ...ownRelations], atVersions: new Map() },
  });
  const { moment } = query;
  const layouts = moment === undefined ? lakes.layouts : { newest: async () => moment };
  const mayBePlain = layouts !== undefined && Object.keys(query.atVersions).length === 0;
  if (mayBePlain && ownRelations.length === 0 && !mayNameTables(sql)) {
    const statement = statementOf([]);
    const plain = { statement: readNothing(lake, statement), versions: new Map() };
    const key = isRepeatable([sql]) ? keyOf(query, []) : undefined;
    return { lake, statement, plain, tableIds: new Set(), atVersions: new Map(), key };
  }

  // What may name nothing of its own, such as rows that were kept, may be megabytes long.
  const reading = ownRelations.filter(({ reads }) => reads?.length !== 0);
  const texts = [sql, ...reading.map(({ definition }) => definition ?? '')];
  const actsFor = query.actsFor ?? query.callerId;
  const wanted = { organizationId, actsFor, within, texts };
  const look = async ({ list, relations }: Names) => {
    const statement = statementOf(relations);
    const all = textsOf(statement);
    const looked = mayReadPlain(all) ? await lookAtTables(layouts!, lake, statement) : undefined;
    return { list, statement, looked, isRepeatable: isRepeatable(all) };
  };
  const recalled = mayBePlain && mayReadPlain(texts) ? names.recall(wanted) : undefined;
  let found = recalled && { ...(await look(recalled)), version: recalled.version };
  if (found === undefined || found.looked?.namesVersion !== found.version) {
    const read = await names.read(wanted);
    const { version } = read;
    found = mayBePlain
      ? { ...(await look(read)), version }
      : {
          list: read.list,
          statement: statementOf(read.relations),
          looked: undefined,
          isRepeatable: false,
          version,
        };
  }

  const { list, statement, looked } = found;
  const { tables, tableIds } = list;
  const atVersions = await askedVersions(lakes, lake.schema, tables, query.atVersions);
  const plain = looked?.statement && { statement: looked.statement, versions: looked.versions };
  const isRemembered =
    plain?.statement.atVersions.size === 0 && found.isRepeatable && ownRelations.length === 0;
  const own = mayNameCatalog(sql) ? await catalogTables(lakes.catalogPool, lake.schema, list.all) : [];
  const asked = new Map([
    ...[...(moment === undefined ? [] : tables)].map(({ name }) => [name, moment!.snapshotId] as const),
    ...[...atVersions].map(([table, { snapshotId }]) => [table.name, snapshotId] as const),
  ]);
  return {
    lake,
    statement: withCatalog({ ...statement, atVersions: asked }, own),
    plain: plain && { ...plain, statement: withCatalog(plain.statement, own) },
    tableIds,
    atVersions,
    key:
      isRemembered && own.length === 0
        ? keyOf(query, [
            ...[found.version, actsFor, within && [...within]],
            ...[[...plain.versions], plain.statement.plain?.tables.map(({ key }) => key)],
          ])
        : undefined,
  };
}

/**
 * Looks at all tables that these statements of one organization may name, at one moment: the newest by
 * default. Statements that cannot be prepared name none.
 */
export async function lookTogether(
  deps: PrepareDeps,
  queries: readonly ToPrepare[],
  asked?: number,
): Promise<TablesAtSnapshot> {
  const { catalog, catalogPool, layouts } = deps.lake;
  const prepared = await Promise.all(queries.map((query) => prepare(deps, query).catch(() => undefined)));
  const tables = new Map(
    prepared.flatMap((each) => (each === undefined ? [] : [...namedTables(each.statement)])),
  );
  const lake = await catalog.get(queries[0]!.organizationId);
  if (layouts !== undefined && asked === undefined) return layouts.newest(lake, [...tables.values()]);
  const snapshotId = asked ?? (await newestSnapshot(catalogPool, lake.schema));
  const versions = await versionsAt(catalogPool, lake.schema, [...tables.keys()], snapshotId);
  return { snapshotId, versions, layouts: new Map(), namesVersion: -1 };
}

/** With tables of `information_schema`. */
function withCatalog(statement: Statement, own: readonly CatalogTable[]): Statement {
  if (own.length === 0) return statement;
  const { tables = [], snapshotId, ways = new Map() } = statement.plain ?? {};
  return {
    ...statement,
    relations: [...statement.relations, ...own.map(({ relation }) => relation)],
    plain: { tables: [...tables, ...own.map(({ table }) => table)], snapshotId, ways },
  };
}

/** With the values of parameters that are written in the statement itself. */
function withWritten<Parameterized extends Pick<Statement, 'parameters'>>(
  parameterized: Parameterized,
  values: ReadonlyMap<string, CellValue> = new Map(),
): Parameterized {
  const written = [...values].map(([name, value]) => ({ name, source: `$${name}`, value }));
  return { ...parameterized, parameters: [...parameterized.parameters, ...written] };
}

const keyOf = ({ sql, values, parameters, limit }: ToPrepare, read: readonly unknown[]): string =>
  JSON.stringify([sql, [...(values ?? [])], [...(parameters ?? [])], limit, ...read]);
