import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';

export type Preview = components['schemas']['Preview'];

/** Types of columns, as the interface names them. */
export const dataTypes = [
  'STRING',
  'INTEGER',
  'DECIMAL',
  'DOUBLE',
  'BOOLEAN',
  'DATE',
  'TIMESTAMP',
  'TIMESTAMPTZ',
  'TIME',
  'JSON',
] as const;

export type Mapping = Preview['columnMappings'][number];

export type Csv = NonNullable<components['schemas']['Preview']['detectedCsv']>;

/** What of a CSV somebody set; what is missing is detected. */
export type CsvChoice = Partial<Omit<Csv, 'skippedLines'>>;

/** Where the columns of a file are. */
export interface Source {
  sheet?: string;
  csv?: CsvChoice;
  /** Whether lists and objects stay what they are; else they are JSON. */
  isNative?: boolean;
}

/** How a file is read; what is undefined is detected. */
export interface Reading {
  mappings: readonly Mapping[] | undefined;
  source: Source;
}

export interface ChangeReading {
  /** Of the columns as they are detected, some left out or otherwise named and typed. */
  mappings: (mappings: readonly Mapping[]) => void;
  /** Read otherwise, a file has other columns: they are detected anew. */
  source: (change: Source) => void;
}

export function useReading(): { reading: Reading; change: ChangeReading } {
  const [reading, setReading] = useState<Reading>({ mappings: undefined, source: {} });
  return {
    reading,
    change: {
      mappings: (mappings) => setReading((before) => ({ ...before, mappings })),
      source: (change) =>
        setReading(({ source }) => ({ mappings: undefined, source: { ...source, ...change } })),
    },
  };
}

/** As requests of a preview and of an import say it. */
export const bodyOf = ({ mappings, source: { sheet, csv, isNative } }: Reading) => ({
  ...(mappings === undefined ? {} : { column_mappings: [...mappings] }),
  ...(sheet === undefined ? {} : { xlsx: { sheet } }),
  ...(csv === undefined ? {} : { csv: csvOf(csv) }),
  ...(isNative === true ? { nested: 'native' as const } : {}),
});

const csvOf = (choice: CsvChoice) => ({
  ...(choice.charEncoding === undefined ? {} : { char_encoding: choice.charEncoding }),
  ...(choice.columnSeparator === undefined ? {} : { column_separator: choice.columnSeparator }),
  ...(choice.quoteCharacter === undefined || choice.quoteCharacter === ''
    ? {}
    : { quote_character: choice.quoteCharacter }),
  ...(choice.escapeCharacter === undefined ? {} : { escape_character: choice.escapeCharacter }),
  ...(choice.headerRow === undefined ? {} : { header_row: choice.headerRow }),
  ...(choice.firstDataRow === undefined ? {} : { first_data_row: choice.firstDataRow }),
  ...(choice.dateFormat === undefined ? {} : { date_format: choice.dateFormat }),
  ...(choice.thousands === undefined ? {} : { thousands: choice.thousands }),
  ...(choice.nullValues === undefined ? {} : { null_values: choice.nullValues }),
  ...(choice.shortRows === undefined ? {} : { short_rows: choice.shortRows }),
});
