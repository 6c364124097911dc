import { addDataFile } from '../../../data/lake/ducklake/procedures.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import type { LakeColumn } from './columns.ts';
import { createTableStatements } from './retype.ts';

/** Parquet files already in the lake's own folder, and their columns. */
export interface StagedFiles {
  columns: readonly LakeColumn[];
  files: readonly { url: string }[];
  rows: number;
}

/** Creates a table from staged files inside the caller's transaction; the files are adopted, not copied. */
export async function fillFromFiles(
  connection: EngineConnection,
  catalogName: string,
  tableName: string,
  staged: StagedFiles,
): Promise<void> {
  for (const statement of createTableStatements(tableName, staged.columns)) await connection.run(statement);
  for (const { url } of staged.files) await addDataFile(connection, catalogName, tableName, url);
}
