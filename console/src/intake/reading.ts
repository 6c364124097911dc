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

/** How a file is read; what is undefined is detected. */
export interface Reading {
  mappings: readonly Mapping[] | undefined;
  sheet: string | undefined;
}

export interface ChangeReading {
  /** Of the columns as they are detected, some left out or otherwise named and typed. */
  mappings: (mappings: readonly Mapping[]) => void;
  /** Another sheet has other columns. */
  sheet: (sheet: string) => void;
}

export function useReading(): { reading: Reading; change: ChangeReading } {
  const [reading, setReading] = useState<Reading>({ mappings: undefined, sheet: undefined });
  return {
    reading,
    change: {
      mappings: (mappings) => setReading((before) => ({ ...before, mappings })),
      sheet: (sheet) => setReading({ mappings: undefined, sheet }),
    },
  };
}

/** As requests of a preview and of an import say it. */
export const bodyOf = ({ mappings, sheet }: Reading) => ({
  ...(mappings === undefined ? {} : { column_mappings: [...mappings] }),
  ...(sheet === undefined ? {} : { xlsx: { sheet } }),
});
