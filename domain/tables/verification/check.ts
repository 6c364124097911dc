import { AppError, ValidationError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { checkDraftSql } from '../query/check-draft.ts';
import type { QueryPool } from '../query/pool/pool.ts';
import { findPhysicalTable } from '../tables/columns.ts';
import { findTable } from '../tables/registry.ts';
import { compileTest, type Subject, UnfitTest, valueLiterals } from './compile.ts';
import type { Test } from './kinds.ts';
import { asSubject, createScopes, withSubject } from './relations.ts';

export interface CheckDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  queries: QueryPool;
}

const timeoutMs = 20_000;

interface TestToCheck {
  organizationId: string;
  test: Test;
  /** The table that it is of; undefined if a selector finds its tables at each run. */
  tableId: string | undefined;
  definerId: string;
  signal: AbortSignal;
}

/**
 * Checks a test as far as it can be known before it runs: what people wrote must parse, and for a table that
 * is there its columns must fit and the engine must accept the statement.
 *
 * @throws ValidationError at the parameter that does not fit
 */
export async function checkTest(deps: CheckDeps, checked: TestToCheck): Promise<void> {
  await checkWritten(deps, checked);
  const { organizationId, test, tableId, definerId, signal } = checked;
  if (tableId === undefined) return;
  const lake = await deps.lake.catalog.get(organizationId);
  const table = await inOrganization(deps.db, organizationId, (db) => findTable(db, organizationId, tableId));
  const physical = table && (await findPhysicalTable(deps.lake.catalogPool, lake.schema, table.name));
  // One that was never built is checked when it runs.
  if (table === undefined || physical === undefined) return;
  const only = { ...test, definedBy: definerId };
  const scope = await createScopes(deps.db, organizationId, [only])(test, definerId);
  const now = new Date();
  const subject: Subject = {
    ...{ columns: physical.columns, toTable: scope.toTable, rowsBefore: undefined },
    ...{ versionAt: now, now },
  };
  const relations = withSubject(asSubject({ id: tableId, name: physical.name }), scope);
  const run = (sql: string) =>
    deps.queries.run({
      ...{ location: lake.reader, relations, sql, timeoutMs, signal },
      ...{ limit: 1, rowFormat: 'rows', atVersions: new Map() },
    });
  if (test.kind === 'relationship' && scope.toTable !== undefined)
    refuseUnknown(test, await findPhysicalTable(deps.lake.catalogPool, lake.schema, scope.toTable));
  try {
    const { failing } = compileTest(test, subject);
    await run(`SELECT * FROM (${failing}\n) AS f LIMIT 0`);
  } catch (error) {
    throw at(test, error);
  }
  if (test.kind !== 'accepted_values') return;
  await refuseUncastable(test, subject, run);
}

/** Columns that the other table does not have; those of a view are the engine's to find. */
function refuseUnknown(
  { params }: Extract<Test, { kind: 'relationship' }>,
  other: Awaited<ReturnType<typeof findPhysicalTable>>,
): void {
  if (other === undefined) return;
  const names = new Set(other.columns.map(({ name }) => name.toLowerCase()));
  const faults = params.to_columns.flatMap((name, at) =>
    names.has(name.toLowerCase())
      ? []
      : [
          {
            loc: ['body', 'params', 'to_columns', at],
            msg: `The table ${other.name} has no column "${name.slice(0, 100)}".`,
            type: 'value_error',
          },
        ],
  );
  if (faults.length > 0) throw new ValidationError(faults);
}

/** Values that the engine cannot read as the column's type. */
async function refuseUncastable(
  test: Extract<Test, { kind: 'accepted_values' }>,
  subject: Subject,
  run: (sql: string) => Promise<{ rowsJson: string | undefined }>,
): Promise<void> {
  const { values } = test.params;
  const casts = valueLiterals(test.params, subject).map((value) => `TRY_${value} IS NOT NULL`);
  const { rowsJson } = await run(`SELECT [${casts.join(', ')}] AS fits`);
  const [row] = JSON.parse(rowsJson ?? '[]') as { fits: boolean[] }[];
  const bad = row?.fits.findIndex((fits) => !fits) ?? -1;
  if (bad === -1) return;
  throw new ValidationError([
    {
      loc: ['body', 'params', 'values', bad],
      msg: `${String(values[bad]).slice(0, 100)} isn't a value of the column's type.`,
      type: 'value_error',
    },
  ]);
}

/**
 * An expression becomes a part of statements: it must be one in two places where nothing else could stand in
 * both, so that it cannot close the brackets around it.
 */
async function checkWritten(deps: CheckDeps, { organizationId, test, signal }: TestToCheck): Promise<void> {
  const sqls =
    test.kind === 'sql'
      ? [test.params.sql]
      : test.kind === 'expression'
        ? [
            `SELECT (${test.params.expression}\n) IS NOT TRUE AS e FROM this`,
            `SELECT CASE WHEN ${test.params.expression}\nTHEN 1 END AS e FROM this`,
          ]
        : [];
  for (const sql of sqls) {
    try {
      await checkDraftSql(deps, { organizationId, sql, values: new Map(), signal });
    } catch (error) {
      throw at(test, error);
    }
  }
}

/** The parameter at which a fault is reported. */
function at({ kind }: Test, error: unknown): unknown {
  if (error instanceof UnfitTest)
    return new ValidationError([
      { loc: ['body', 'params', ...error.path], msg: error.message, type: 'value_error' },
    ]);
  const isRefusal =
    error instanceof AppError &&
    ['query_failed', 'query_not_read_only', 'query_too_large'].includes(error.code);
  if (!isRefusal) return error;
  const field = kind === 'expression' || kind === 'sql' ? [kind] : [];
  return new ValidationError([
    { loc: ['body', 'params', ...field], msg: error.message, type: 'value_error' },
  ]);
}
