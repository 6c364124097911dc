import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { duckDbType, type LakeColumn, type PhysicalTable } from './columns.ts';

/** Columns that can hold both a table's rows and the incoming ones. */
export interface FittedColumns {
  columns: LakeColumn[];
  /** New types of the table's columns. */
  retypes: Map<string, string>;
  added: LakeColumn[];
}

interface Incoming {
  columns: readonly LakeColumn[];
  /** The relation to select them from. */
  source: string;
}

/**
 * Chooses the type of each column: the table's if it holds every incoming value, else the incoming one if it
 * holds the table's values, else STRING. No value is changed by it. A column that incoming rows may lack
 * becomes nullable.
 */
export async function fitColumns(
  connection: EngineConnection,
  table: PhysicalTable,
  incoming: Incoming,
): Promise<FittedColumns> {
  const own = new Map(table.columns.map((column) => [column.name.toLowerCase(), column]));
  const retypes = new Map<string, string>();
  const added: LakeColumn[] = [];
  const holds = async (from: string, column: string, type: string, to: string): Promise<boolean> => {
    const name = identifier(column);
    const cast = `TRY_CAST(${name} AS ${duckDbType(to)})`;
    const { rows } = await connection.read(
      `SELECT 1 FROM ${from} WHERE ${name} IS NOT NULL
       AND (${cast} IS NULL OR TRY_CAST(${cast} AS ${duckDbType(type)}) IS DISTINCT FROM ${name}) LIMIT 1`,
    );
    return rows.length === 0;
  };
  for (const column of incoming.columns) {
    const known = own.get(column.name.toLowerCase());
    if (known === undefined) {
      added.push({ ...column, nullable: true });
      continue;
    }
    const [from, to] = [column.dataType, known.dataType];
    if (from === to || to === 'STRING') continue;
    const { rows: some } = await connection.read(
      `SELECT 1 FROM ${incoming.source} WHERE ${identifier(column.name)} IS NOT NULL LIMIT 1`,
    );
    if (some.length === 0) continue;
    const isOneKind = kindOf(from) !== undefined && kindOf(from) === kindOf(to);
    if (isOneKind && (await holds(incoming.source, column.name, from, to))) continue;
    const fits = isOneKind && (await holds(identifier(table.name), known.name, to, from));
    retypes.set(known.name, fits ? from : 'STRING');
  }
  const mayLack = new Set(table.columns.map(({ name }) => name.toLowerCase()));
  for (const { name, nullable } of incoming.columns) if (!nullable) mayLack.delete(name.toLowerCase());
  const fitted = table.columns.map((column): LakeColumn => {
    const dataType = retypes.get(column.name);
    const nullable = column.nullable || mayLack.has(column.name.toLowerCase());
    return dataType === undefined
      ? { ...column, nullable }
      : { ...column, nullable, dataType, typing: 'declared' };
  });
  return { columns: [...fitted, ...added], retypes, added };
}

/** Types of one kind can be cast to each other without changing their meaning. */
function kindOf(dataType: string): 'number' | 'time' | undefined {
  if (/^(?:INTEGER|DOUBLE|DECIMAL)/.test(dataType)) return 'number';
  return /^(?:DATE|TIMESTAMP)/.test(dataType) ? 'time' : undefined;
}
