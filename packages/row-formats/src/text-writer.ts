import { DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api';
import { tooLarge } from './encode-rows.ts';
import { plainTextOf } from './plain-text.ts';
import { encoderFor } from './values/values.ts';
import { type MadePiece, pieceBytes, type RowWriter, readableVectors, type StreamColumn } from './writer.ts';

/** How a format writes text: each row is its cells, each after its prefix, and what ends a row. */
interface TextFormat {
  header: string;
  columns: { prefix: string; cell: (value: DuckDBValue) => string; nullCell: string }[];
  rowEnd: string;
}

/** RFC 4180: a header, lines that end with CRLF; null is nothing, and empty text is quoted. */
export function csvFormat(columns: readonly StreamColumn[]): TextFormat {
  return {
    header: `${columns.map(({ name }) => csvField(name)).join(',')}\r\n`,
    columns: columns.map(({ type }, index) => {
      const text = plainTextOf(type);
      const cell = isNumber.has(type.typeId) ? text : (value: DuckDBValue) => csvField(text(value));
      return { prefix: index === 0 ? '' : ',', cell, nullCell: '' };
    }),
    rowEnd: '\r\n',
  };
}

/** One JSON object a line, with the values of a JSON answer. */
export function ndjsonFormat(columns: readonly StreamColumn[]): TextFormat {
  return {
    header: '',
    columns: columns.map(({ name, type }, index) => ({
      prefix: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
      cell: encoderFor(type),
      nullCell: 'null',
    })),
    rowEnd: '}\n',
  };
}

/** @throws RowFault too_large for a row of more than `maxBytes` */
export function createTextWriter(
  columns: readonly StreamColumn[],
  format: TextFormat,
  maxBytes: number,
): RowWriter {
  let text = format.header;
  let textRows = 0;
  function take(): MadePiece {
    const piece = { chunks: [Buffer.from(text)], rowCount: textRows };
    text = '';
    textRows = 0;
    return piece;
  }
  return {
    *add(chunk, rowCount) {
      const vectors = readableVectors(columns, chunk, maxBytes);
      for (let row = 0; row < rowCount; row += 1) {
        let line = '';
        for (let index = 0; index < vectors.length; index += 1) {
          const { prefix, cell, nullCell } = format.columns[index]!;
          const value = vectors[index]!.getItem(row);
          line += prefix + (value === null ? nullCell : cell(value));
          if (line.length > maxBytes) throw tooLarge(maxBytes);
        }
        text += line + format.rowEnd;
        textRows += 1;
        if (text.length >= pieceBytes) yield take();
      }
    },
    end: () => {
      const piece = take();
      text = format.header;
      return piece;
    },
  };
}

const isNumber = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DECIMAL,
  DuckDBTypeId.BOOLEAN,
]);

const csvField = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
