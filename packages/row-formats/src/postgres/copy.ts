import type { DuckDBValue } from '@duckdb/node-api';
import type { StreamColumn } from '../writer.ts';
import { postgresText } from './text-values.ts';

/** How COPY writes rows. */
export interface CopyOptions {
  form: 'text' | 'csv';
  delimiter: string;
  null: string;
  quote: string;
  hasHeader: boolean;
}

/** A function that writes a row, with its end. */
export function copyCells(
  columns: readonly StreamColumn[],
  options: CopyOptions,
): (cell: (index: number) => DuckDBValue) => string {
  const texts = columns.map(({ type }) => postgresText(type));
  const field = fieldWriter(options);
  return (cell) => {
    const fields = texts.map((text, index) => {
      const value = cell(index);
      return value === null ? options.null : field(text(value));
    });
    return `${fields.join(options.delimiter)}\n`;
  };
}

export function copyHeader(columns: readonly StreamColumn[], options: CopyOptions): string {
  return `${columns.map(({ name }) => fieldWriter(options)(name)).join(options.delimiter)}\n`;
}

const escapes: Readonly<Record<string, string>> = {
  ...{ '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v' },
};

function fieldWriter({ form, delimiter, null: nothing, quote }: CopyOptions): (text: string) => string {
  if (form === 'text')
    return (text) =>
      text
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what COPY escapes.
        .replace(/[\\\u0008-\u000d]/g, (character) => escapes[character] ?? character)
        .replaceAll(delimiter, (found) => (found === '\t' ? found : `\\${found}`));
  return (text) => {
    const isPlain =
      text !== nothing &&
      text !== '\\.' &&
      !text.includes(quote) &&
      !text.includes(delimiter) &&
      !/[\r\n]/.test(text);
    return isPlain ? text : `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
  };
}
