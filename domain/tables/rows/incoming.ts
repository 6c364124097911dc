import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { rowsSource, textOf, transported } from '../row-input/rows-source.ts';
import type { LakeColumn } from '../tables/columns.ts';

/** Reserved names that no user's column or table can have. */
export const ordinal = '"_workspace ordinal"';
const incomingName = '"_workspace incoming"';
export const incoming = `temp.main.${incomingName}`;

/** Planned rows: their JSON, and the columns to read from it. */
export interface StagedRows {
  columns: readonly Pick<LakeColumn, 'name' | 'dataType'>[];
  parts: readonly ({ text: string } | { path: string })[];
}

/**
 * Loads rows into a temporary table with their columns, numbered from 1 in the order they arrived. The caller
 * drops it.
 */
export async function stageRows(connection: EngineConnection, { columns, parts }: StagedRows): Promise<void> {
  const values = columns.map(
    ({ name, dataType }, position) => `${transported(dataType, position)} AS ${identifier(name)}`,
  );
  await connection.run(`DROP TABLE IF EXISTS ${incoming}`);
  for (const [index, part] of parts.entries()) {
    const { expression, values: texts } = textOf(part);
    const rows = `SELECT ${values.join(', ')}, row_number() OVER () AS ${ordinal} FROM ${rowsSource(columns, expression)}`;
    const into = index === 0 ? `CREATE TEMP TABLE ${incomingName} AS` : `INSERT INTO ${incoming}`;
    await connection.run(`${into} ${rows}`, texts);
  }
}

export async function dropIncoming(connection: EngineConnection): Promise<void> {
  await connection.run(`DROP TABLE ${incoming}`);
}
