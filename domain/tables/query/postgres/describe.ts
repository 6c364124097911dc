import type { DuckDBPreparedStatement, DuckDBType } from '@duckdb/node-api';
import { postgresType } from '../../../../packages/row-formats/index.ts';
import { applyNames, checkStatement, withoutTail } from '../../../../packages/sql-guard/index.ts';
import { boundParameters } from '../process/bind.ts';
import type { Engine } from '../process/engine.ts';
import type { SentTask } from '../process/messages.ts';
import { withPivotsResolved } from '../process/pivots.ts';
import { type Interruption, inReadTransaction } from '../process/transaction.ts';
import type { Described } from './contract.ts';

/** Checks a statement as if it were run, and has the engine find its names and types. It reads no rows. */
export async function describeStatement(
  engine: Engine,
  task: Extract<SentTask, { kind: 'describe' }>,
  current: Interruption,
): Promise<Described> {
  const { connection, parser } = engine;
  const stated = { ...task, limit: undefined };
  const checked = await checkStatement(parser, {
    ...(await withPivotsResolved(engine, stated, current)),
    mayExplain: true,
  });
  return inReadTransaction(engine, current, async () => {
    const prepared = await connection.prepare(checked.sql);
    try {
      const parameters = parametersOf(prepared);
      const known = checked.isPlan === true ? undefined : columnsOf(prepared);
      const columns = known ?? (await columnsOfEmpty());
      const names = applyNames(
        columns.map(({ name }) => name),
        checked.columnNames,
      );
      return {
        columns: columns.map(({ type }, index) => ({ name: names[index]!, ...postgresType(type) })),
        parameters,
      };
    } finally {
      prepared.destroySync();
    }
  });

  /** Types that depend on values are known when there are values; those of a plan when it is made. */
  async function columnsOfEmpty(): Promise<Column[]> {
    const bound = await boundParameters(connection, task.parameters ?? []);
    const { sql } = checked;
    const empty =
      checked.isPlan === true ? sql : `SELECT * FROM (${withoutTail(sql)}\n) AS described LIMIT 0`;
    const result = await connection.run(empty, bound?.values, bound?.types);
    return result.columnNames().map((name, index) => ({ name, type: result.columnType(index) }));
  }
}

interface Column {
  name: string;
  type: DuckDBType;
}

/** Undefined if a type depends on values. */
function columnsOf(prepared: DuckDBPreparedStatement): Column[] | undefined {
  const types = typesOf(prepared);
  if (types === undefined) return undefined;
  return types.map((type, index) => ({ name: prepared.columnName(index), type }));
}

function typesOf(prepared: DuckDBPreparedStatement): DuckDBType[] | undefined {
  for (let index = 1; index <= prepared.parameterCount; index += 1)
    if (parameterType(prepared, index) === undefined) return undefined;
  return Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnType(index));
}

function parametersOf(prepared: DuckDBPreparedStatement): Record<string, number> {
  const found: Record<string, number> = {};
  for (let index = 1; index <= prepared.parameterCount; index += 1) {
    const type = parameterType(prepared, index);
    if (type !== undefined) found[prepared.parameterName(index)] = postgresType(type).oid;
  }
  return found;
}

/** Undefined if the statement doesn't decide it; the binding throws then. */
function parameterType(prepared: DuckDBPreparedStatement, index: number): DuckDBType | undefined {
  try {
    return prepared.parameterType(index);
  } catch {
    return undefined;
  }
}
