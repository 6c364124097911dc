import { randomUUID } from 'node:crypto';
import { AppError } from '../../../data/errors.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import { duckDbType, type LakeColumn } from './columns.ts';

/** The statements that create a table with these columns, their nullability and their typing. */
export function createTableStatements(name: string, columns: readonly LakeColumn[]): string[] {
  const definitions = columns.map(
    (column) =>
      `${identifier(column.name)} ${duckDbType(column.dataType)}${column.nullable ? '' : ' NOT NULL'}`,
  );
  return [
    `CREATE TABLE ${identifier(name)} (${definitions.join(', ')})`,
    ...columns.flatMap((column) => typingStatement(name, column)),
  ];
}

/** The statements that append a column. */
export function addColumnStatements(table: string, column: LakeColumn): string[] {
  const [create, ...comment] = createTableStatements(table, [column]);
  const definition = create!.slice(create!.indexOf('(') + 1, -1);
  return [`ALTER TABLE ${identifier(table)} ADD COLUMN ${definition}`, ...comment];
}

function typingStatement(table: string, column: LakeColumn): string[] {
  if (column.typing === 'declared') return [];
  return [`COMMENT ON COLUMN ${identifier(table)}.${identifier(column.name)} IS ${literal(column.typing)}`];
}

/** Type changes that the engine makes in place, because every stored value keeps its meaning. */
function isPromotion(from: string, to: string): boolean {
  return from === 'INTEGER' && (to === 'DOUBLE' || to === 'DECIMAL(38,0)');
}

/**
 * Retypes columns inside the caller's transaction: in place if the lake can promote the type, otherwise by
 * rewriting the table under its name, which keeps the order of columns. Casts must not fail: the caller has
 * checked the data, or the column holds only nulls.
 */
export async function retypeColumns(
  connection: EngineConnection,
  table: string,
  columns: readonly LakeColumn[],
  retypes: ReadonlyMap<string, string>,
  typing: LakeColumn['typing'],
): Promise<void> {
  const after = columns.map((column) => {
    const dataType = retypes.get(column.name);
    return dataType === undefined ? column : { ...column, dataType, typing };
  });
  const changed = columns.filter((column) => retypes.has(column.name));
  for (const column of changed) {
    if (column.dataType === 'INTEGER' && retypes.get(column.name) === 'DOUBLE')
      await refuseLossyIntegers(connection, table, column);
  }
  if (changed.every((column) => isPromotion(column.dataType, retypes.get(column.name)!))) {
    for (const column of changed) {
      const type = duckDbType(retypes.get(column.name)!);
      await connection.run(`ALTER TABLE ${identifier(table)} ALTER ${identifier(column.name)} TYPE ${type}`);
    }
    return;
  }
  await rewriteTable(connection, table, columns, after);
}

/** An inferred column would widen to DOUBLE although it holds integers that a double cannot represent. */
export class LossyWidening extends AppError {
  readonly column: string;

  constructor(column: string) {
    super(
      'conflict',
      `Column ${column} contains integers beyond 2^53, which DOUBLE would round. Retype it to DECIMAL(p,s).`,
    );
    this.column = column;
  }
}

async function refuseLossyIntegers(
  connection: EngineConnection,
  table: string,
  column: LakeColumn,
): Promise<void> {
  const name = identifier(column.name);
  const { rows } = await connection.read(
    `SELECT count(*) FROM ${identifier(table)} WHERE ${name} NOT BETWEEN -9007199254740992 AND 9007199254740992`,
  );
  if (Number(rows[0]![0]) > 0) {
    throw new LossyWidening(column.name);
  }
}

/** Rewrites the table with other column definitions; old rows are cast to them, all in one transaction. */
export async function rewriteTable(
  connection: EngineConnection,
  table: string,
  before: readonly LakeColumn[],
  after: readonly LakeColumn[],
): Promise<void> {
  const old = `${[...table].slice(0, 200).join('')} ${randomUUID()}`;
  await connection.run(`ALTER TABLE ${identifier(table)} RENAME TO ${identifier(old)}`);
  for (const statement of createTableStatements(table, after)) await connection.run(statement);
  const casts = before.map((column, position) => {
    const target = after[position]!;
    const name = identifier(column.name);
    return column.dataType === target.dataType ? name : `CAST(${name} AS ${duckDbType(target.dataType)})`;
  });
  await connection.run(`INSERT INTO ${identifier(table)} SELECT ${casts.join(', ')} FROM ${identifier(old)}`);
  await connection.run(`DROP TABLE ${identifier(old)}`);
}
