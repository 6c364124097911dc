import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

export interface TokenCount {
  inputTokens: number;
  outputTokens: number;
}

const thisMonth = sql<Date>`date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** Adds to the organization's usage in this calendar month (UTC). */
export async function addTokens(
  db: OrganizationTransaction,
  organizationId: string,
  { inputTokens, outputTokens }: TokenCount,
): Promise<void> {
  if (inputTokens + outputTokens === 0) return;
  await db
    .insertInto('token_usage')
    .values({
      organization_id: organizationId,
      month: thisMonth,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'month']).doUpdateSet(({ eb }) => ({
        input_tokens: eb('token_usage.input_tokens', '+', inputTokens),
        output_tokens: eb('token_usage.output_tokens', '+', outputTokens),
      })),
    )
    .execute();
}

/** Tokens that the organization used in this calendar month. */
export async function tokensUsed(db: OrganizationTransaction, organizationId: string): Promise<number> {
  const row = await db
    .selectFrom('token_usage')
    .select(({ eb }) => eb('input_tokens', '+', eb.ref('output_tokens')).as('tokens'))
    .where('organization_id', '=', organizationId)
    .where('month', '=', thisMonth)
    .executeTakeFirst();
  return row?.tokens ?? 0;
}
