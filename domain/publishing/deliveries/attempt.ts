import { AppError, isRetryable } from '../../../data/errors.ts';
import { derivedId } from '../../../data/ids.ts';
import {
  type Mail,
  type MailAttachment,
  type MailOutcome,
  mailTooLarge,
  maxAttachmentsBytes,
} from '../../../data/mail/mail.ts';
import type { Mailer } from '../../../data/mail/mailer.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type {
  DeliveryAttempt,
  DeliveryEnd,
  DeliveryInput,
} from '../../../workflows/publishing/delivery/contract.ts';
import { contentTypeOf } from '../../workspace/files/content-type.ts';
import { pathFault } from '../../workspace/files/path.ts';
import { writeFile } from '../../workspace/files/write.ts';
import type { ExportDeps } from '../reports/export.ts';
import { attemptSlack, attemptWebhook, type HttpDeliveryDeps } from './attempt-http.ts';
import { type DeliveredContent, fileContentOf, mailContentOf } from './content.ts';
import { type Delivery, deliveryStates, findDelivery } from './deliveries.ts';
import { loadContent } from './load.ts';
import { mailBodyOf } from './mail-body.ts';
import {
  attemptOf,
  type BegunDelivery,
  beginAttempt,
  conclude,
  errorOf,
  findPending,
  maxAttempts,
  moveOwn,
  StaleAttemptError,
} from './moves.ts';

export type DeliveryDeps = ExportDeps & HttpDeliveryDeps & { mailer: Mailer; mailsPerDay: number };

/** The file is held in memory, together with those of other deliveries. */
const copyLimit = {
  maxBytes: 16_777_216,
  message: 'The file is too large. A delivery can copy files of up to 16 MiB.',
};

/**
 * One attempt at a delivery, unless it has ended. Loading and building its content does not count as an
 * attempt: if a store is unavailable, the error is thrown and the caller retries.
 */
export async function attemptDelivery(
  deps: DeliveryDeps,
  { organizationId, deliveryId }: DeliveryInput,
): Promise<DeliveryAttempt> {
  const { row, isPending } = await findPending(deps, organizationId, deliveryId);
  if (row === undefined || !isPending) return attemptOf(row);
  try {
    return await deliverOf[row.kind](deps, row);
  } catch (error) {
    if (error instanceof StaleAttemptError) return look(deps, row);
    if (!(error instanceof AppError) || isRetryable(error)) throw error;
    return fail(deps, row, errorOf(error.code, error.message));
  }
}

const deliverOf: Record<Delivery['kind'], (deps: DeliveryDeps, row: Delivery) => Promise<DeliveryAttempt>> = {
  file: deliverFile,
  email: deliverMail,
  slack: attemptSlack,
  webhook: attemptWebhook,
};

function look({ db }: DeliveryDeps, { organization_id, id }: Delivery): Promise<DeliveryAttempt> {
  return inOrganization(db, organization_id, async (transaction) =>
    attemptOf(await findDelivery(transaction, organization_id, id)),
  );
}

/**
 * Fails a delivery that no attempt can complete. Nothing was sent, so it fails from `pending`, even if
 * another attempt is running.
 */
function fail({ db }: DeliveryDeps, row: Delivery, error: string): Promise<DeliveryAttempt> {
  return inOrganization(db, row.organization_id, async (transaction) => {
    const failed = await deliveryStates.move(transaction, row, 'pending', 'failed', { error });
    return attemptOf(failed ?? (await findDelivery(transaction, row.organization_id, row.id)));
  });
}

/**
 * The file's id is derived from the delivery's, and the delivery ends in the transaction that creates it, so
 * a second attempt finds it done.
 */
async function deliverFile(deps: DeliveryDeps, row: Delivery): Promise<DeliveryAttempt> {
  const fault = pathFault(row.target);
  if (fault !== undefined) throw new AppError('invalid_request', fault);
  const content = fileContentOf(row);
  const bytes = await loadContent(deps, row, content, copyLimit);
  const begun = await beginAttempt(deps, row);
  await writeFile(deps, {
    organizationId: row.organization_id,
    projectId: row.project_id,
    path: row.target,
    bytes,
    // The path may have any ending; the name has that of the format.
    ...(content.type === 'file' ? {} : { contentType: contentTypeOf(content.name) }),
    id: derivedId('fil', row.created_at.getTime(), row.id),
    within: (db, file) => moveOwn(db, begun, 'delivered', { receipt: file.id, error: null }),
  });
  return { status: 'delivered' };
}

async function deliverMail(deps: DeliveryDeps, row: Delivery): Promise<DeliveryAttempt> {
  const mail = await mailOf(deps, row);
  const begun = await beginAttempt(deps, row, deps.mailsPerDay);
  if (begun.attempts > maxAttempts)
    return conclude(deps, begun, 'failed', {
      error: row.error === null ? brokeOff : JSON.stringify(row.error),
    });
  return recordOutcome(deps, begun, await send(deps, begun, mail));
}

const brokeOff = errorOf('mail_refused', 'Every attempt broke off before the mail server received the mail.');

async function send(deps: DeliveryDeps, begun: BegunDelivery, mail: Mail): Promise<MailOutcome> {
  // After it has returned, a crash leaves `sending` behind: the mail may have been sent.
  const beforeData = () =>
    inOrganization(deps.db, begun.organization_id, (db) => moveOwn(db, begun, 'sending'));
  try {
    return await deps.mailer.send(mail, { beforeData });
  } catch (error) {
    // Aborted before any content was sent; the row may say `sending` all the same, but no server has the
    // mail.
    if (!(error instanceof StaleAttemptError)) await conclude(deps, begun, 'pending');
    throw error;
  }
}

function recordOutcome(
  deps: DeliveryDeps,
  begun: BegunDelivery,
  outcome: MailOutcome,
): Promise<DeliveryAttempt> {
  switch (outcome.kind) {
    case 'accepted':
      return conclude(deps, begun, 'delivered', { receipt: outcome.receipt, error: null });
    case 'uncertain':
      return conclude(deps, begun, 'uncertain', { error: errorOf('delivery_uncertain', outcome.message) });
    case 'refused': {
      const isLast = outcome.permanent || begun.attempts >= maxAttempts;
      const error = errorOf('mail_refused', outcome.message);
      return conclude(deps, begun, isLast ? 'failed' : 'pending', { error });
    }
  }
}

async function mailOf(deps: DeliveryDeps, row: Delivery): Promise<Mail> {
  const content = mailContentOf(row);
  const attachments: MailAttachment[] = [];
  let leftBytes = maxAttachmentsBytes;
  const attach = async (things: readonly DeliveredContent[]) => {
    for (const thing of things) {
      const bytes = await loadContent(deps, row, thing, { maxBytes: leftBytes, message: mailTooLarge });
      leftBytes -= bytes.length;
      attachments.push({ name: thing.name, contentType: contentTypeOf(thing.name), bytes });
    }
  };
  await attach(content.attachments);
  // Pages that have to be attached have the same pictures again.
  const { pages, ...body } = await mailBodyOf(deps, row, content, leftBytes / 2);
  for (const { bytes } of body.pictures ?? []) leftBytes -= bytes.length;
  await attach(pages);
  return { to: row.target, subject: content.subject, ...body, attachments, id: row.id };
}

/** Ends a delivery whose attempts could not be made, according to the state of its row. */
export async function giveUpDelivery(
  deps: Pick<DeliveryDeps, 'db'>,
  { organizationId, deliveryId }: DeliveryInput,
): Promise<{ status: DeliveryEnd }> {
  const { row, isPending } = await findPending(deps, organizationId, deliveryId);
  if (row === undefined) return { status: 'failed' };
  const ended = await inOrganization(deps.db, organizationId, async (db) => {
    const error = errorOf(
      'storage_unavailable',
      "The service tried for hours to prepare the delivery, but couldn't read its content or make a document from it.",
    );
    const failed = isPending ? await deliveryStates.move(db, row, 'pending', 'failed', { error }) : undefined;
    return attemptOf(failed ?? (await findDelivery(db, organizationId, deliveryId)));
  });
  if (ended.status === 'pending') throw new Error('Another attempt of the delivery is running now.');
  return ended;
}
