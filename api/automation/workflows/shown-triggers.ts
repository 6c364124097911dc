import type { Cipher } from '../../../data/encryption.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { Trigger, WrittenTrigger } from '../../../domain/automation/workflows/definitions/triggers.ts';
import type { Workflow } from '../../../domain/automation/workflows/definitions/workflows.ts';
import { hooksOf, secretsOf } from '../../../domain/automation/workflows/triggers/hooks.ts';

/**
 * A trigger with the address of its hook; its secret is only in the answer to the request that created it.
 */
export type ShownTrigger = Trigger & { token?: string; secret?: string };
export type ShownWorkflow = Workflow & { triggers: readonly ShownTrigger[] };

export async function shownTriggers(
  db: OrganizationTransaction,
  triggers: readonly Trigger[],
): Promise<ShownTrigger[]> {
  const hooks = await hooksOfTriggers(db, triggers);
  return triggers.map((trigger) => {
    const hook = hooks.get(trigger.id);
    return hook === undefined ? trigger : { ...trigger, token: hook.token };
  });
}

/** Adds the secret of each webhook trigger. */
export async function showSecrets(
  db: OrganizationTransaction,
  cipher: Cipher,
  triggers: readonly ShownTrigger[],
): Promise<ShownTrigger[]> {
  const hooks = await hooksOfTriggers(db, triggers);
  return triggers.map((trigger) => {
    const hook = hooks.get(trigger.id);
    return hook === undefined ? trigger : { ...trigger, secret: secretsOf(cipher, hook, Date.now())[0] };
  });
}

/** Adds the secrets of triggers created by this request; a repeated request gets the same answer. */
export async function withSecrets(
  db: OrganizationTransaction,
  cipher: Cipher,
  workflow: ShownWorkflow,
  written: readonly WrittenTrigger[],
): Promise<ShownWorkflow> {
  const made = written.filter(({ id }) => id === undefined).map(({ newId }) => newId);
  const shown = await showSecrets(
    db,
    cipher,
    workflow.triggers.filter(({ id }) => made.includes(id)),
  );
  const byId = new Map(shown.map((trigger) => [trigger.id, trigger]));
  return { ...workflow, triggers: workflow.triggers.map((trigger) => byId.get(trigger.id) ?? trigger) };
}

async function hooksOfTriggers(db: OrganizationTransaction, triggers: readonly Trigger[]) {
  const called = triggers.filter(({ type }) => type === 'webhook');
  const [first] = called;
  if (first === undefined) return new Map<string, never>();
  return hooksOf(
    db,
    first.organization_id,
    called.map(({ id }) => id),
  );
}
