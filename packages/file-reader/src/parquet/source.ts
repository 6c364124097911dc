import type { DuckDBConnection } from '@duckdb/node-api';
import { BadFileError } from '../bad-file.ts';
import type { ColumnMapping, ReadOptions } from '../contract.ts';
import { runRows } from '../out/run.ts';
import { literal } from '../sql.ts';
import { textForm } from '../text/csv.ts';
import type { TextSource } from '../text/source.ts';
import type { Numbering, TextTable } from '../text/table.ts';
import { dataType as parsedType, typeName } from '../values/types.ts';
import { refuseWideDecimals } from './exactness.ts';
import { type ParquetColumn, type ParquetFile, rowNumber } from './types.ts';

/**
 * A Parquet file as text, for mappings that convert its columns to other types. The engine numbers the rows.
 */
export function parquetTexts(
  connection: DuckDBConnection,
  file: ParquetFile,
  { columnMappings, csv }: ReadOptions,
): TextSource {
  const wanted = columnMappings?.map(({ sourceColumnName }) => sourceColumnName);
  refuseWideDecimals(file, wanted);
  const nested = nestedMappings(columnMappings ?? []);
  const texts = file.columns.map((column, index) => `${textOf(column, nested)} AS c${index}`);
  const numbers = `${rowNumber} + 1 AS _line, ${rowNumber} AS _at, 0 AS _bytes`;
  return {
    separator: ',',
    direct: undefined,
    effective: null,
    async number({ window }) {
      const from = window?.from ?? 0;
      const to = Math.min(window?.to ?? file.rows, file.rows);
      const rows = `(SELECT ${numbers}, ${texts.join(', ')} FROM ${file.from} WHERE ${rowNumber} >= ${from} AND ${rowNumber} < ${to})`;
      const table: TextTable = {
        names: file.columns.map(({ name }) => name),
        isTagged: false,
        isParsed: false,
        form: { ...textForm(csv?.dateFormat ?? '', ''), isTyped: true },
        from: () => rows,
        numbering: numberingOf(connection, file, Math.max(0, to - from)),
      };
      const page = { start: window?.page.from ?? 0, end: window?.page.to ?? file.rows };
      return { table, total: file.rows, page, close: async () => undefined };
    },
  };
}

/** The types of columns that are mapped to a list, struct or map, by their names in the file. */
function nestedMappings(mappings: readonly ColumnMapping[]): ReadonlyMap<string, string> {
  const nested = mappings.filter(({ dataType }) => parsedType(dataType).kind === 'NESTED');
  return new Map(
    nested.map(({ sourceColumnName, dataType }) => [
      folded(sourceColumnName),
      typeName(parsedType(dataType)),
    ]),
  );
}

const folded = (name: string): string => name.trim().toLowerCase();

/** @throws BadFileError for a mapping to another nested type than the column's own */
function textOf({ name, text, native }: ParquetColumn, nested: ReadonlyMap<string, string>): string {
  const wanted = nested.get(folded(name));
  if (wanted === undefined) return text;
  if (wanted === native?.dataType) return native.value;
  throw new BadFileError(
    'unsupported_column',
    `The column is ${native?.dataType ?? 'not nested'} and cannot be read as ${wanted}. Map it to its own type, to JSON or to STRING`,
    { column: name },
  );
}

/** Rows by their places in the file; the raw text of one is its JSON. */
export function numberingOf(connection: DuckDBConnection, file: ParquetFile, records: number): Numbering {
  const fields = file.columns.map(({ name, text }) => `${literal(name)}: ${text}`);
  return {
    records,
    illShaped: 0,
    short: 0,
    broken: [],
    async readRaws(places) {
      const wanted = places.map(({ at }) => at);
      if (wanted.length === 0) return [];
      const rows = await runRows(
        connection,
        `SELECT ${rowNumber}, CAST(to_json({${fields.join(', ')}}) AS VARCHAR) FROM ${file.from}
         WHERE ${rowNumber} IN (${wanted.join(', ')})`,
      );
      const texts = new Map(rows.map(([at, raw]) => [Number(at), String(raw)]));
      return wanted.map((at) => texts.get(at) ?? '');
    },
  };
}
