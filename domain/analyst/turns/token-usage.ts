import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { counter } from '../../../data/telemetry/instruments.ts';
import { recordEvents } from '../../workspace/audit/events.ts';

export interface TokenCount {
  inputTokens: number;
  outputTokens: number;
}

const measured = counter(
  'workspace.model.tokens',
  '{token}',
  'Tokens that language models read and wrote, by provider, model and direction: input or output.',
);

/** Counts for operators, without saying for whom. */
export function measureTokens(model: string, { inputTokens, outputTokens }: TokenCount): void {
  const [provider = ''] = model.split('/');
  measured.add(inputTokens, { provider, model, direction: 'input' });
  measured.add(outputTokens, { provider, model, direction: 'output' });
}

const thisMonth = sql<Date>`date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** Share of a month's budget at which the organization is warned, in its audit. */
const warningShare = 0.8;

/** Adds to the organization's usage in this calendar month (UTC). */
export async function addTokens(
  db: OrganizationTransaction,
  organizationId: string,
  { inputTokens, outputTokens }: TokenCount,
  monthlyBudget?: number,
): Promise<void> {
  const added = inputTokens + outputTokens;
  if (added === 0) return;
  const { used } = await db
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
    .returning(({ eb }) => eb('input_tokens', '+', eb.ref('output_tokens')).as('used'))
    .executeTakeFirstOrThrow();
  const warningAt = (monthlyBudget ?? Number.POSITIVE_INFINITY) * warningShare;
  // Only one addition of a month crosses it.
  if (used >= warningAt && used - added < warningAt)
    await recordNearlyUsed(db, organizationId, used, monthlyBudget!);
}

async function recordNearlyUsed(
  db: OrganizationTransaction,
  organizationId: string,
  used: number,
  budget: number,
): Promise<void> {
  await recordEvents(db, organizationId, [
    {
      organizationId,
      actor: { type: 'system', id: null },
      action: 'token_budget.nearly_used',
      resource: { id: null, name: null },
      outcome: 'done',
      address: null,
      requestId: null,
      processId: null,
      detail: { tokens: used, budget },
    },
  ]);
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
