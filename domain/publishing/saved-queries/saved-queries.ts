import { sql } from 'kysely';
import { AppError, notFound, ValidationError, type ValidationFault } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { listFitting } from '../../../data/postgres/page-bytes.ts';
import { type RecordOf, type RowLock, records, type Slice } from '../../../data/postgres/records.ts';
import type { Document } from '../../../data/postgres/schema.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import type { Chart } from './chart.ts';
import { checkValues, defaultFaults, type Parameters } from './parameters.ts';
import { placeholderFaults, type Statement, statementOf } from './statement.ts';

export type SavedQuery = RecordOf<'saved_queries'>;

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    saved_queries: { parameters: Document<Parameters>; chart: Document<Chart | null> };
  }
}

declare module '../../../data/ids.ts' {
  interface IdPrefixes {
    sqy: 'saved_queries';
  }
}

const savedQueries = records('saved_queries', { prefix: 'sqy', what: 'The query' });

/** What its author writes. */
export interface SavedQueryContent {
  name: string;
  description: string;
  sql: string;
  parameters: Parameters;
  chart: Chart | null;
}

export async function getSavedQuery(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
  lock?: RowLock,
): Promise<SavedQuery> {
  const row = await savedQueries.get(db, organizationId, id, lock);
  if (row.project_id !== projectId) throw notFound('The query');
  return row;
}

export const { find: findSavedQuery, get: getAnySavedQuery } = savedQueries;

/** Those of a project that these ids name. */
export async function savedQueriesOf(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SavedQuery>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('saved_queries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Newest first, with the number that fits a page. */
export function listSavedQueries(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  slice: Slice,
): Promise<{ rows: SavedQuery[]; shown: number }> {
  const bytes = sql<number>`octet_length(sql) + octet_length(parameters::text) + coalesce(octet_length(chart::text), 0)`;
  const of = { organizationId, projectId };
  return listFitting(db, { table: 'saved_queries', bytes, list: savedQueries.list }, of, slice);
}

export interface NewSavedQuery extends SavedQueryContent {
  organizationId: string;
  projectId: string;
  id: string;
  createdBy: string;
}

/** Adds a query; with an existing id, returns that query. */
export async function insertSavedQuery(
  db: OrganizationTransaction,
  query: NewSavedQuery,
): Promise<SavedQuery> {
  const { organizationId, projectId, id, createdBy } = query;
  await getOpenProject(db, organizationId, projectId);
  checkContent(query);
  const earlier = await savedQueries.find(db, organizationId, id);
  if (earlier !== undefined) return earlier;
  refuseBeyond(limits.savedQueries.queries, await count(db, organizationId, projectId));
  return savedQueries.insert(db, {
    organization_id: organizationId,
    id,
    project_id: projectId,
    created_by: createdBy,
    ...columnsOf(query),
  });
}

/** Writes the next revision of a query locked by the transaction. */
export async function reviseSavedQuery(
  db: OrganizationTransaction,
  before: SavedQuery,
  change: Partial<SavedQueryContent>,
  expectedRevision: number | undefined,
): Promise<SavedQuery> {
  await getOpenProject(db, before.organization_id, before.project_id);
  refuseStaleRevision('query', before.revision, expectedRevision);
  const { name, description, parameters, chart } = before;
  const content = { name, description, sql: before.sql, parameters, chart, ...change };
  checkContent(content);
  return savedQueries.update(db, before.organization_id, before.id, {
    ...columnsOf(content),
    revision: before.revision + 1,
    updated_at: new Date(),
  });
}

/** @throws AppError revision_conflict with `current_revision` */
export function refuseStaleRevision(what: string, current: number, expected: number | undefined): void {
  if (expected === undefined || expected === current) return;
  throw new AppError(
    'revision_conflict',
    `The ${what} has changed: its revision is now ${current}. Read it again, then repeat the change.`,
    { extensions: { current_revision: current } },
  );
}

/** Tiles of dashboards that show it fail from then on. */
export async function deleteSavedQuery(db: OrganizationTransaction, row: SavedQuery): Promise<SavedQuery> {
  await savedQueries.remove(db, row.organization_id, row.id);
  return row;
}

/**
 * What the engine gets for these values.
 *
 * @throws ValidationError at `[...at, name]`
 */
export function statementFor(
  { sql: text, parameters }: Pick<SavedQuery, 'sql' | 'parameters'>,
  given: Readonly<Record<string, unknown>>,
  at: readonly string[],
): Statement {
  const expected = new Map(Object.entries(parameters));
  return statementOf(text, parameters, checkValues(expected, given, { at, what: 'parameter' }));
}

function checkContent({ sql: text, parameters }: SavedQueryContent): void {
  const faults: ValidationFault[] = [
    ...placeholderFaults(text, parameters, ['body', 'sql']),
    ...defaultFaults(parameters, ['body', 'parameters']),
  ];
  const seen = new Set<string>();
  for (const name of Object.keys(parameters)) {
    const folded = name.toLowerCase();
    if (seen.has(folded))
      faults.push({
        loc: ['body', 'parameters', name],
        type: 'value_error',
        msg: 'Another parameter has the same name in other letters. The engine ignores case.',
      });
    seen.add(folded);
  }
  if (faults.length > 0) throw new ValidationError(faults);
}

function columnsOf({ name, description, sql: text, parameters, chart }: SavedQueryContent) {
  return {
    name,
    description,
    sql: text,
    parameters: JSON.stringify(parameters),
    chart: chart === null ? null : JSON.stringify(chart),
  };
}

async function count(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<number> {
  const { total } = await db
    .selectFrom('saved_queries')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(total);
}
