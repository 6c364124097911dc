import type { Staged, StagedFile, StagedTable as WrittenTable } from '../../../packages/file-reader/index.ts';
import type { LakeColumn } from '../../tables/tables/columns.ts';

/** Parquet files that can be registered as a table of the lake. */
export interface StagedTable {
  columns: LakeColumn[];
  files: StagedFile[];
  rows: number;
}

/** What an import has staged; its manifest. */
export interface StagedImport extends Omit<Staged, 'table' | 'quarantine' | 'sourceColumns'> {
  table: StagedTable;
  quarantine: StagedTable | undefined;
  /** Absent from a manifest that an earlier release wrote. */
  sourceColumns?: Staged['sourceColumns'];
}

/** A file's types are not widened by records that come later. */
export function declared({ columns, ...written }: WrittenTable): StagedTable {
  return {
    ...written,
    columns: columns.map(({ name, dataType, nullable }) => declaredColumn(name, dataType, nullable)),
  };
}

export function declaredColumn(name: string, dataType: string, nullable: boolean): LakeColumn {
  return { name, dataType, nullable, typing: 'declared' };
}
