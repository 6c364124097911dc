import {
  type DuckDBDataChunk,
  DuckDBListVector,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBVector,
} from '@duckdb/node-api';
import { camelCase } from './camel-case.ts';
import { RowFault } from './fault.ts';
import { hasStructs, readStructsByPosition } from './values/positional.ts';
import type { ValueEncoder } from './values/scalars.ts';
import { dataTypeName } from './values/type-name.ts';
import { encoderFor } from './values/values.ts';

/** `rows` by camel-cased names, `rows_with_column_order` by position, or both. */
export type RowFormat = 'both' | 'rows' | 'rows_with_column_order';

export interface EncodedRows {
  columns: { name: string; dataType: string }[];
  rowsJson: string | undefined;
  rowsWithColumnOrderJson: string | undefined;
  rowCount: number;
  truncated: boolean;
}

export interface EncodeLimits {
  rows: number;
  bytes: number;
}

interface Column {
  name: string;
  type: DuckDBType;
  encode: ValueEncoder;
  hasStructs: boolean;
  /** Text before the value in `rows`; undefined if a later column has the same key. */
  keyPrefix: string | undefined;
  /** Text before the value in `rows_with_column_order`. */
  cellPrefix: string;
}

/** Reads a streaming result up to the limit and no further, so that no more rows are ever produced. */
export async function encodeRows(
  result: DuckDBResult,
  names: readonly string[],
  format: RowFormat,
  limits: EncodeLimits,
): Promise<EncodedRows> {
  const columns = columnsOf(result, names);
  const writer = { columns, format, keyed: [] as string[], ordered: [] as string[], sizeBytes: 0, limits };
  let rowCount = 0;
  let truncated = false;
  while (!truncated) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const wanted = Math.min(chunk.rowCount, limits.rows - rowCount);
    truncated = chunk.rowCount > wanted;
    if (wanted > 0) encodeChunk(writer, chunk, wanted);
    rowCount += wanted;
  }
  return {
    columns: columns.map(({ name, type }) => ({ name, dataType: dataTypeName(type) })),
    rowsJson: format === 'rows_with_column_order' ? undefined : `[${writer.keyed.join(',')}]`,
    rowsWithColumnOrderJson: format === 'rows' ? undefined : `[${writer.ordered.join(',')}]`,
    rowCount,
    truncated,
  };
}

function columnsOf(result: DuckDBResult, names: readonly string[]): Column[] {
  const keys = names.map(camelCase);
  return names.map((name, index) => {
    const type = result.columnType(index);
    const key = keys[index] ?? '';
    return {
      name,
      type,
      encode: encoderFor(type),
      hasStructs: hasStructs(type),
      keyPrefix: keys.lastIndexOf(key) === index ? `${JSON.stringify(key)}:` : undefined,
      cellPrefix: `{"name":${JSON.stringify(name)},"value":`,
    };
  });
}

interface Writer {
  columns: Column[];
  format: RowFormat;
  keyed: string[];
  ordered: string[];
  sizeBytes: number;
  limits: EncodeLimits;
}

function encodeChunk(writer: Writer, chunk: DuckDBDataChunk, rowCount: number): void {
  const cells = writer.columns.map((column, index) => {
    const vector = chunk.getColumnVector(index);
    if (column.hasStructs) readStructsByPosition(vector.type);
    refuseHugeLists(vector, writer.limits.bytes);
    return encodeColumn(writer, column.encode, vector, rowCount);
  });
  for (let row = 0; row < rowCount; row += 1) {
    if (writer.format !== 'rows_with_column_order') writer.keyed.push(keyedRow(writer.columns, cells, row));
    if (writer.format !== 'rows') writer.ordered.push(orderedRow(writer.columns, cells, row));
    const size = (writer.keyed.at(-1)?.length ?? 0) + (writer.ordered.at(-1)?.length ?? 0);
    writer.sizeBytes += size + 2;
    if (writer.sizeBytes > writer.limits.bytes) throw tooLarge(writer.limits.bytes);
  }
}

function encodeColumn(
  writer: Writer,
  encode: ValueEncoder,
  vector: DuckDBVector,
  rowCount: number,
): string[] {
  const cells: string[] = new Array(rowCount);
  let sizeBytes = writer.sizeBytes;
  for (let row = 0; row < rowCount; row += 1) {
    const value = vector.getItem(row);
    const cell = value === null ? 'null' : encode(value);
    cells[row] = cell;
    sizeBytes += cell.length;
    if (sizeBytes > writer.limits.bytes) throw tooLarge(writer.limits.bytes);
  }
  return cells;
}

function keyedRow(columns: readonly Column[], cells: readonly string[][], row: number): string {
  let text = '{';
  for (let index = 0; index < columns.length; index += 1) {
    const prefix = columns[index]?.keyPrefix;
    if (prefix === undefined) continue;
    text += (text.length > 1 ? ',' : '') + prefix + (cells[index]?.[row] ?? 'null');
  }
  return `${text}}`;
}

function orderedRow(columns: readonly Column[], cells: readonly string[][], row: number): string {
  let text = '[';
  for (let index = 0; index < columns.length; index += 1) {
    text += `${(index > 0 ? ',' : '') + (columns[index]?.cellPrefix ?? '') + (cells[index]?.[row] ?? 'null')}}`;
  }
  return `${text}]`;
}

/** An item takes at least two bytes; objects for a hundred million items would not fit into this process. */
export function refuseHugeLists(vector: DuckDBVector, maxBytes: number): void {
  if (!(vector instanceof DuckDBListVector)) return;
  if (vector.childVector.itemCount * 2 > maxBytes) throw tooLarge(maxBytes);
  refuseHugeLists(vector.childVector, maxBytes);
}

export function tooLarge(maxBytes: number): RowFault {
  const mebibytes = Math.max(1, Math.round(maxBytes / 1024 / 1024));
  return new RowFault(
    'too_large',
    `The answer is larger than ${mebibytes} MiB. Ask for fewer rows or columns.`,
  );
}
