import type { Outgoing } from '../../../data/outgoing/outgoing.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { deliveryHeader, sign, signatureHeader, timestampHeader } from '../../../data/webhooks/signature.ts';
import type { DeliveryAttempt } from '../../../workflows/publishing/delivery/contract.ts';
import { slackContentOf, webhookContentOf } from './content.ts';
import type { Delivery } from './deliveries.ts';
import { type HttpOutcome, postJson } from './http-call.ts';
import {
  type BegunDelivery,
  beginAttempt,
  conclude,
  errorOf,
  maxAttempts,
  moveOwn,
  StaleAttemptError,
} from './moves.ts';
import { hiddenParts } from './web-address.ts';

/** A secret of the delivering workflow node. @throws AppError not_found where its version has none */
export type NodeSecrets = (
  delivery: Pick<Delivery, 'organization_id' | 'workflow_run_id' | 'node_id'>,
  key: 'webhook_url' | 'secret',
) => Promise<string>;

export interface HttpDeliveryDeps {
  db: Database;
  nodeSecrets: NodeSecrets;
  outgoing: Outgoing;
  /** Timeout of one request; the production value by default. */
  requestTimeoutMs?: number;
}

const defaultTimeoutMs = 30_000;

/** Refusals worth retrying. A webhook's 409 means that it is busy with another call. */
const retryableStatuses = { slack: [408, 429], webhook: [408, 409, 425, 429] } as const;

/** Like a mail: sent once, or recorded as uncertain. Slack cannot detect a repeated message. */
export async function attemptSlack(deps: HttpDeliveryDeps, row: Delivery): Promise<DeliveryAttempt> {
  const url = await deps.nodeSecrets(row, 'webhook_url');
  const begun = await beginAttempt(deps, row);
  if (begun.attempts > maxAttempts) return brokenOff(deps, begun);
  try {
    await inOrganization(deps.db, row.organization_id, (db) => moveOwn(db, begun, 'sending'));
  } catch (error) {
    // Nothing was sent, even if the row says `sending`.
    if (!(error instanceof StaleAttemptError)) await conclude(deps, begun, 'pending');
    throw error;
  }
  const { text } = slackContentOf(row);
  const outcome = await postJson(deps.outgoing, {
    url,
    body: Buffer.from(JSON.stringify({ text })),
    timeoutMs: deps.requestTimeoutMs ?? defaultTimeoutMs,
    secrets: [url, new URL(url).pathname],
  });
  // A gateway also answers these for requests it has forwarded.
  const isLost =
    outcome.kind === 'lost' || (outcome.kind === 'answered' && [502, 504].includes(outcome.status));
  if (!isLost) return recordOutcome(deps, begun, outcome, retryableStatuses.slack);
  const why =
    outcome.kind === 'answered' ? `A gateway answered with the status ${outcome.status}.` : outcome.message;
  const message = `${why} Slack may have received the message, so the service doesn't send it again automatically.`;
  return conclude(deps, begun, 'uncertain', { error: errorOf('delivery_uncertain', message) });
}

/** Sent at least once, under one id: it stays `pending` while it is sent, and a lost request is repeated. */
export async function attemptWebhook(deps: HttpDeliveryDeps, row: Delivery): Promise<DeliveryAttempt> {
  const secret = await deps.nodeSecrets(row, 'secret');
  const { url, payload } = webhookContentOf(row);
  const begun = await beginAttempt(deps, row);
  if (begun.attempts > maxAttempts) return brokenOff(deps, begun);
  const body = Buffer.from(
    JSON.stringify({
      deliveryId: row.id,
      workflowId: row.workflow_id,
      runId: row.workflow_run_id,
      nodeId: row.node_id,
      payload,
    }),
  );
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const outcome = await postJson(deps.outgoing, {
    url,
    headers: {
      [timestampHeader]: timestamp,
      [signatureHeader]: sign(secret, timestamp, body),
      [deliveryHeader]: row.id,
    },
    body,
    timeoutMs: deps.requestTimeoutMs ?? defaultTimeoutMs,
    secrets: [secret, ...hiddenParts(url)],
  });
  return recordOutcome(deps, begun, outcome, retryableStatuses.webhook);
}

async function recordOutcome(
  deps: HttpDeliveryDeps,
  begun: BegunDelivery,
  outcome: HttpOutcome,
  retryable: readonly number[],
): Promise<DeliveryAttempt> {
  if (outcome.kind !== 'answered') {
    const isFinal = outcome.kind === 'not_sent' && outcome.permanent;
    return refused(deps, begun, { message: outcome.message, isFinal, retryAfterMs: 0 });
  }
  const { status, words, retryAfterMs } = outcome;
  const answer = `${status}${words === '' ? '' : ` ${words}`}`;
  if (status >= 200 && status < 300)
    return conclude(deps, begun, 'delivered', { receipt: answer, error: null });
  const isFinal = status < 500 && !retryable.includes(status);
  const redirects = status >= 300 && status < 400 ? " The service doesn't follow redirects." : '';
  return refused(deps, begun, {
    message: `The receiver answered ${answer}.${redirects}`,
    isFinal,
    retryAfterMs,
  });
}

async function refused(
  deps: HttpDeliveryDeps,
  begun: BegunDelivery,
  { message, isFinal, retryAfterMs }: { message: string; isFinal: boolean; retryAfterMs: number },
): Promise<DeliveryAttempt> {
  const isLast = isFinal || begun.attempts >= maxAttempts;
  const error = errorOf('delivery_refused', message);
  const left = await conclude(deps, begun, isLast ? 'failed' : 'pending', { error });
  return left.status === 'pending'
    ? { ...left, retryAfterMs: Math.max(left.retryAfterMs, retryAfterMs) }
    : left;
}

/** Repeated attempts that were each cut off by the end of their process. */
function brokenOff(deps: HttpDeliveryDeps, begun: BegunDelivery): Promise<DeliveryAttempt> {
  const error =
    begun.error === null
      ? errorOf('delivery_refused', 'Every attempt broke off before the receiver answered.')
      : JSON.stringify(begun.error);
  return conclude(deps, begun, 'failed', { error });
}
