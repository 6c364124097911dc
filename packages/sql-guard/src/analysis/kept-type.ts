import type { PlanNode } from './plan-node.ts';

const plain: ReadonlySet<unknown> = new Set([
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'VARCHAR',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'TIMESTAMP WITH TIME ZONE',
]);

/**
 * The engine's name of a type whose values are the same after they were written to Parquet and read again,
 * and are equal only if they look the same; undefined for any other.
 */
export function keptType(type: unknown): string | undefined {
  const { id, type_info: info } = (type ?? {}) as PlanNode;
  const { alias = '', width, scale, collation = '' } = (info ?? {}) as PlanNode;
  if (alias !== '' || collation !== '') return undefined;
  if (plain.has(id)) return String(id);
  return id === 'DECIMAL' ? `DECIMAL(${Number(width)},${Number(scale)})` : undefined;
}

/** The same for a least or greatest value, which is never compared with another group's. */
export const keptExtremeType = (type: unknown): string | undefined =>
  (type as PlanNode)['id'] === 'DOUBLE' ? 'DOUBLE' : keptType(type);

/** The same for a sum, whose own type may be too wide to be stored; undefined if it depends on the order. */
export function keptSumType(type: unknown): string | undefined {
  const { id } = (type ?? {}) as PlanNode;
  if (id === 'HUGEINT') return 'DECIMAL(38,0)';
  return id === 'DECIMAL' ? keptType(type) : undefined;
}
