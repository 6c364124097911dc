import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Cipher } from '../../../../data/encryption.ts';
import { AppError, notFound } from '../../../../data/errors.ts';
import { derivedId } from '../../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../../data/postgres/client.ts';
import { findProcessStart, type ProcessStart } from '../../../../data/postgres/process-starts.ts';
import { verify } from '../../../../data/webhooks/signature.ts';
import type { Params } from '../../../analyst/playbooks/parameters.ts';
import { findRun } from '../../../workspace/runs/runs.ts';
import { startWorkflowRun } from '../runs/start.ts';
import { hooksOf, secretsOf } from '../triggers/hooks.ts';
import type { StartDeps } from './fire.ts';

/** A call of a hook as received. */
export interface HookCall {
  timestamp: string;
  signature: string;
  body: Uint8Array;
  nowMs: number;
}

/** A call whose signature has been verified. */
export interface SignedCall {
  organizationId: string;
  workflowId: string;
  triggerId: string;
  /** Id of the run that it starts; the same for a repeated call. */
  runId: string;
  /**
   * Set if an earlier identical call has made the run, with the outbox entry if its process has not started.
   */
  earlier: { start: ProcessStart | undefined } | undefined;
  /** What the call starts; undefined if the trigger is not active. */
  active: { versionId: string; params: Params } | undefined;
}

/** Tolerated clock difference of a call, in either direction. */
const toleranceMs = 300_000;

/**
 * Finds the hook of a token and verifies the call.
 *
 * @throws AppError not_found for an unknown token, invalid_token if the signature matches no secret of the
 * trigger, or the timestamp is out of range
 */
export async function checkCall(
  { db, cipher }: { db: Database; cipher: Cipher },
  token: string,
  call: HookCall,
): Promise<SignedCall> {
  // A call names only the token, so it is looked up before the organization is known.
  const { rows } = await sql<{ organization_id: string; trigger_id: string }>`
    SELECT organization_id, trigger_id FROM hook_of_token(${token})`.execute(db);
  const [found] = rows;
  if (found === undefined) throw notFound('The hook');
  const { organization_id: organizationId, trigger_id: triggerId } = found;
  return inOrganization(db, organizationId, async (transaction) => {
    const hook = (await hooksOf(transaction, organizationId, [triggerId])).get(triggerId);
    if (hook === undefined) throw notFound('The hook');
    const secrets = secretsOf(cipher, hook, call.nowMs);
    if (!verify({ ...call, secrets, toleranceMs })) throw notSigned();
    const runId = runIdOf(triggerId, call);
    return {
      organizationId,
      workflowId: hook.workflow_id,
      triggerId,
      runId,
      earlier: await findEarlier(transaction, organizationId, runId),
      active: await findActive(transaction, organizationId, triggerId),
    };
  });
}

/** Derived from what was signed: a call that differs in anything is a different call. */
function runIdOf(triggerId: string, { timestamp, body }: HookCall): string {
  const digest = createHash('sha256').update(`${timestamp}.`).update(body).digest('hex');
  return derivedId('wfr', Number(timestamp) * 1_000, `${triggerId}\n${digest}`);
}

async function findEarlier(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<SignedCall['earlier']> {
  const run = await findRun(db, organizationId, runId);
  return run && { start: await findProcessStart(db, organizationId, run.workflow_id) };
}

async function findActive(
  db: OrganizationTransaction,
  organizationId: string,
  triggerId: string,
): Promise<SignedCall['active']> {
  const row = await db
    .selectFrom('workflow_active_triggers')
    .select(['version_id', 'params'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', triggerId)
    .executeTakeFirst();
  return row && { versionId: row.version_id, params: row.params };
}

/**
 * Starts the run of a call, with the body overriding the trigger's params. A repeated call starts nothing
 * more.
 */
export async function takeCall(
  deps: StartDeps,
  { organizationId, workflowId, triggerId, runId, earlier, active }: SignedCall,
  { readParams, memo }: { readParams: () => Promise<Params>; memo: Record<string, string> },
): Promise<void> {
  if (earlier !== undefined) {
    // Confirmed only once its process exists: the request that is starting it may still have to withdraw the
    // run.
    if (earlier.start !== undefined) await deps.processes.start(organizationId, earlier.start, undefined);
    return;
  }
  if (active === undefined) throw notActive();
  const params = { ...active.params, ...(await readParams()) };
  await startWorkflowRun(deps, {
    organizationId,
    runId,
    workflowId,
    versionId: active.versionId,
    params,
    at: ['body'],
    trigger: { type: 'webhook', id: triggerId },
    memo,
  });
}

const notSigned = () =>
  new AppError(
    'invalid_token',
    'The signature isn\'t valid. x-webhook-signature must be `v1=` followed by the hex HMAC-SHA256 of "timestamp.body" with the secret of the trigger, and x-webhook-timestamp must be within five minutes of the current time.',
  );

const notActive = () =>
  new AppError(
    'conflict',
    "The trigger isn't active. Its workflow isn't active, or was activated without this trigger.",
  );
