import { checkStatement, openPivots, withPivotValues } from '../../../../packages/sql-guard/index.ts';
import { QueryRefusal } from '../refusal.ts';
import { boundParameters } from './bind.ts';
import type { Engine } from './engine.ts';
import type { SentTask } from './messages.ts';
import { type Interruption, inReadTransaction } from './transaction.ts';

type Pivoting = Pick<
  Extract<SentTask, { kind: 'run' | 'stream' }>,
  'sql' | 'relations' | 'parameters' | 'atVersions'
>;

const mostValues = 1_000;
const mostPivots = 8;

/**
 * The same statement with lists of values for each PIVOT that has none: the values that its column has now.
 * Each is read by a statement, which the guard checks too.
 */
export async function withPivotsResolved<Statement extends Pivoting>(
  engine: Engine,
  statement: Statement,
  interruption: Interruption,
): Promise<Statement> {
  if (!/\bpivot/i.test(statement.sql)) return statement;
  const pivots = openPivots(statement.sql).slice(0, mostPivots);
  if (pivots.length === 0) return statement;
  const resolved = [];
  for (const { at, countSql, valuesSql } of pivots) {
    const [about = '0'] = await valuesOf(engine, statement, countSql, interruption);
    // An estimate may be off by a few in a hundred.
    const values =
      Number(about) > 2 * mostValues ? undefined : await valuesOf(engine, statement, valuesSql, interruption);
    if (values === undefined || values.length > mostValues)
      throw new QueryRefusal(
        'query_failed',
        `PIVOT would make more than ${mostValues} columns. List the values that you want: ON column IN (…).`,
      );
    if (values.length === 0)
      throw new QueryRefusal('query_failed', 'PIVOT has no values to make columns of: its table is empty.');
    resolved.push({ at, values });
  }
  return { ...statement, sql: withPivotValues(statement.sql, resolved) };
}

async function valuesOf(
  engine: Engine,
  { relations, parameters = [], atVersions }: Pivoting,
  sql: string,
  interruption: Interruption,
): Promise<string[]> {
  // Others stand elsewhere in the statement.
  const used = parameters.filter(({ name }) => sql.toLowerCase().includes(`$${name.toLowerCase()}`));
  const limit = mostValues;
  const checked = await checkStatement(engine.parser, {
    sql,
    relations,
    parameters: used,
    atVersions,
    limit,
  });
  return inReadTransaction(engine, interruption, async () => {
    const bound = await boundParameters(engine.connection, used);
    const reader = await engine.connection.runAndReadAll(checked.sql, bound?.values, bound?.types);
    return reader.getRows().map(([value]) => String(value));
  });
}
