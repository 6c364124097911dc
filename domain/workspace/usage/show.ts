import type pg from 'pg';
import { identifier } from '../../../data/lake/sql.ts';
import { keptMonths } from './count.ts';

export interface MonthlyUsage {
  organizationId: string;
  /** `2026-11`, in UTC. */
  month: string;
  /** Statements that people and programs had run. */
  statements: number;
  /** Read and written by language models. */
  modelTokens: number;
  /** By appends, imports, copies of sources and builds of tables. */
  rowsWritten: number;
  rowsRemoved: number;
  /** At the last look of the month; null if there was none. */
  bytesStored: number | null;
}

type Figures = Omit<MonthlyUsage, 'organizationId' | 'month'>;
type Pool = Pick<pg.Pool, 'query'>;

const none: Figures = { statements: 0, modelTokens: 0, rowsWritten: 0, rowsRemoved: 0, bytesStored: null };

/** What an organization used, month after month; one month alone if it is named. */
export async function usageOf(
  ownerPool: Pool,
  organizationId: string,
  month?: string,
): Promise<MonthlyUsage[]> {
  const months = new Map<string, Figures>();
  const add = (rows: readonly (Partial<Figures> & { month: string })[]) => {
    for (const { month: of, ...figures } of rows) months.set(of, { ...none, ...months.get(of), ...figures });
  };
  add(await recordedUsage(ownerPool, organizationId));
  add(await writtenRows(ownerPool, organizationId));
  if (month !== undefined) return [{ organizationId, month, ...(months.get(month) ?? none) }];
  return [...months]
    .map(([of, figures]) => ({ organizationId, month: of, ...figures }))
    .sort((left, right) => left.month.localeCompare(right.month));
}

const firstMonth = `date_trunc('month', now() AT TIME ZONE 'UTC') - interval '${keptMonths - 1} months'`;

async function recordedUsage(
  ownerPool: Pool,
  organizationId: string,
): Promise<(Pick<Figures, 'statements' | 'modelTokens' | 'bytesStored'> & { month: string })[]> {
  const { rows } = await ownerPool.query<{
    month: string;
    statements: number;
    tokens: number;
    bytes: number | null;
  }>(
    `SELECT to_char(month, 'YYYY-MM') AS month, coalesce(u.statements, 0) AS statements, u.stored_bytes AS bytes,
       coalesce(t.input_tokens + t.output_tokens, 0) AS tokens
     FROM (SELECT * FROM organization_usage WHERE organization_id = $1) u
     FULL JOIN (SELECT * FROM token_usage WHERE organization_id = $1) t USING (month)
     WHERE month >= ${firstMonth}`,
    [organizationId],
  );
  return rows.map(({ month, statements, tokens, bytes }) => ({
    month,
    statements,
    modelTokens: tokens,
    bytesStored: bytes,
  }));
}

async function writtenRows(
  ownerPool: Pool,
  organizationId: string,
): Promise<(Pick<Figures, 'rowsWritten' | 'rowsRemoved'> & { month: string })[]> {
  const { rows: lakes } = await ownerPool.query<{ schema: string }>(
    `SELECT schema_name AS schema FROM lakes
     WHERE organization_id = $1 AND ready_at IS NOT NULL AND to_regnamespace(quote_ident(schema_name)) IS NOT NULL`,
    [organizationId],
  );
  const schema = lakes[0]?.schema;
  if (schema === undefined) return [];
  const { rows } = await ownerPool.query<{ month: string; written: number; removed: number }>(
    `SELECT to_char(committed_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
       sum(rows_added)::bigint AS written, sum(rows_removed)::bigint AS removed
     FROM ${identifier(schema)}.workspace_operation
     WHERE committed_at AT TIME ZONE 'UTC' >= ${firstMonth} GROUP BY 1`,
  );
  return rows.map(({ month, written, removed }) => ({ month, rowsWritten: written, rowsRemoved: removed }));
}
