import { createHash } from 'node:crypto';

export const tableKeys = ['appends', 'items', 'whole', 'snapshot'] as const;
export type TableKey = (typeof tableKeys)[number];

/**
 * One atomic write: a request with rows, or a batch. Its rows are derived from it, so that rows found in a
 * table can be attributed and checked without storing what was sent.
 */
export interface Operation {
  no: number;
  table: TableKey;
  lane: number;
  rows: number;
}

export interface Row {
  s_id: number;
  item: string;
  op_no: number;
  /** The number of rows of the complete operation. */
  expected: number;
  value: string;
  checksum: string;
}

export const columns = [
  { name: 'item', data_type: 'STRING' },
  { name: 'op_no', data_type: 'INTEGER' },
  { name: 'expected', data_type: 'INTEGER' },
  { name: 'value', data_type: 'STRING' },
  { name: 'checksum', data_type: 'STRING' },
];

/** Space in the s_ids for the rows of one operation, and for the operations of one lane. */
const rowsEach = 1_000;
const operationsEach = 1_000_000;

export function operationNo(lane: number, count: number): number {
  return lane * operationsEach + count;
}

/**
 * Rows of `items` belong to a lane, which writes all of them each time; other rows belong to their operation.
 */
function rowId(operation: Operation, index: number): number {
  return (operation.table === 'items' ? operation.lane : operation.no) * rowsEach + index;
}

/** A row of an operation; `stale` is an earlier page's row for a key that a later page overrides. */
export function rowOf(operation: Operation, index: number, version: 'final' | 'stale' = 'final'): Row {
  const id = rowId(operation, index);
  const hash = createHash('sha256').update(`${operation.no} ${id} ${version}`).digest('hex');
  const value = `${version} ☂ ${hash.repeat(3).slice(0, Number.parseInt(hash.slice(0, 2), 16) % 150)}`;
  const row = { s_id: id, item: `item-${id}`, op_no: operation.no, expected: operation.rows, value };
  return { ...row, checksum: checksumOf(row) };
}

export function rowsOf(operation: Operation): Row[] {
  return Array.from({ length: operation.rows }, (_, index) => rowOf(operation, index + 1));
}

function checksumOf(row: Omit<Row, 'checksum'>): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(row)))
    .digest('hex')
    .slice(0, 16);
}
