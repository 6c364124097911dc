import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Cipher } from '../../../../data/encryption.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type { DB } from '../../../../data/postgres/schema.ts';

/** The address of a webhook trigger, and the secrets that sign its calls. */
export type Hook = Selectable<DB['workflow_hooks']>;

/** How long the previous secret is accepted after a rotation. */
const overlapMs = 3_600_000;

const newSecret = () => `whsec_${randomBytes(32).toString('base64url')}`;

interface OfTrigger {
  organizationId: string;
  workflowId: string;
  triggerId: string;
}

/** Gives a trigger an address and a secret, if it has none. */
export async function ensureHook(
  db: OrganizationTransaction,
  cipher: Cipher,
  { organizationId, workflowId, triggerId }: OfTrigger,
): Promise<void> {
  await db
    .insertInto('workflow_hooks')
    .values({
      organization_id: organizationId,
      workflow_id: workflowId,
      trigger_id: triggerId,
      token: randomBytes(32).toString('base64url'),
      sealed_secret: cipher.seal(newSecret()),
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'trigger_id']).doNothing())
    .execute();
}

/** Rotates the secret. The previous one is valid for another hour; the one before that no longer. */
export async function rotateSecret(
  db: OrganizationTransaction,
  cipher: Cipher,
  trigger: OfTrigger,
): Promise<void> {
  await ensureHook(db, cipher, trigger);
  await db
    .updateTable('workflow_hooks')
    .set(({ ref }) => ({
      sealed_previous_secret: ref('sealed_secret'),
      previous_until: new Date(Date.now() + overlapMs),
      sealed_secret: cipher.seal(newSecret()),
    }))
    .where('organization_id', '=', trigger.organizationId)
    .where('trigger_id', '=', trigger.triggerId)
    .execute();
}

/** By trigger id. */
export async function hooksOf(
  db: OrganizationTransaction,
  organizationId: string,
  triggerIds: readonly string[],
): Promise<Map<string, Hook>> {
  if (triggerIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('workflow_hooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('trigger_id', 'in', triggerIds)
    .execute();
  return new Map(rows.map((row) => [row.trigger_id, row]));
}

/** The secrets accepted at that time, newest first. */
export function secretsOf(cipher: Cipher, hook: Hook, nowMs: number): [string, ...string[]] {
  const { sealed_previous_secret: previous, previous_until: until } = hook;
  const secret = cipher.open(hook.sealed_secret).toString('utf8');
  const isHeld = previous !== null && until !== null && until.getTime() > nowMs;
  return isHeld ? [secret, cipher.open(previous).toString('utf8')] : [secret];
}

/**
 * Removes the addresses of triggers removed from a draft, except those of triggers in any version, which may
 * be active or become so again.
 */
export async function removeHooks(
  db: OrganizationTransaction,
  { organizationId, workflowId }: Omit<OfTrigger, 'triggerId'>,
  triggerIds: readonly string[],
): Promise<void> {
  if (triggerIds.length === 0) return;
  await sql`
    DELETE FROM workflow_hooks h
    WHERE h.organization_id = ${organizationId} AND h.trigger_id = ANY(${triggerIds}::text[])
      AND NOT EXISTS (
        SELECT FROM workflow_versions v, json_array_elements(v.triggers) AS t
        WHERE v.organization_id = ${organizationId} AND v.workflow_id = ${workflowId}
          AND t ->> 'id' = h.trigger_id)`.execute(db);
}
