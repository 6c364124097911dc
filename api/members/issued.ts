import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { pauseSchedulesOf } from '../../domain/automation/schedules/pause.ts';
import { pauseWorkflowsOf } from '../../domain/automation/workflows/definitions/pause-all.ts';
import type { LakeCredential } from '../../domain/tables/lake-credentials/credentials.ts';
import { markRevokedOf, removeCredential } from '../../domain/tables/lake-credentials/remove.ts';
import { revokeAdminClientsOf } from '../../domain/workspace/organizations/clients.ts';
import { deleteLinks } from '../../domain/workspace/people/links.ts';
import type { Role } from '../../domain/workspace/people/members.ts';
import type { ApiDeps } from '../deps.ts';

/**
 * What ended with somebody's rights, and what was paused because nobody is there any more as whom it runs.
 */
export interface Ended {
  ended: {
    type: 'api_client' | 'lake_credential' | 'invitation' | 'password_reset';
    id: string;
    name: string;
  }[];
  paused: { type: 'schedule' | 'workflow'; id: string; name: string }[];
  /** Their roles and keys are removed after the commit. */
  credentials: LakeCredential[];
}

/**
 * Ends what a person or client issued and could not issue now, in the transaction that changes their rights:
 * clients with `admin` are an owner's matter, as addresses at which somebody becomes an owner; lake
 * credentials and other addresses an administrator's. What an ended client issued ends with it.
 *
 * @param now the role that the issuer has from now on; undefined for somebody who is gone
 */
export async function endIssued(
  db: OrganizationTransaction,
  organizationId: string,
  issuerId: string,
  now: Role | undefined,
): Promise<Ended> {
  const all: Ended = { ended: [], paused: [], credentials: [] };
  if (now === 'owner') return all;
  const isAdmin = now === 'admin';
  for (const { id, name } of await revokeAdminClientsOf(db, organizationId, issuerId)) {
    all.ended.push({ type: 'api_client', id, name });
    all.paused.push(...(await pauseAllOf(db, organizationId, id)));
    const further = await endIssued(db, organizationId, id, undefined);
    all.ended.push(...further.ended);
    all.paused.push(...further.paused);
    all.credentials.push(...further.credentials);
  }
  for (const { id, email, kind } of await deleteLinks(
    db,
    organizationId,
    'created_by',
    issuerId,
    isAdmin ? 'owner' : undefined,
  ))
    all.ended.push({ type: kind === 'password' ? 'password_reset' : 'invitation', id, name: email });
  if (isAdmin) return all;
  const revoked = await markRevokedOf(db, organizationId, issuerId);
  all.credentials.push(...revoked);
  all.ended.push(...revoked.map(({ id, name }) => ({ type: 'lake_credential' as const, id, name })));
  return all;
}

/**
 * Pauses what runs as a person or client. Workflows before schedules: an activation locks them in the same
 * order.
 */
export async function pauseAllOf(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<Ended['paused']> {
  const workflows = await pauseWorkflowsOf(db, organizationId, { ownerId: id });
  const schedules = await pauseSchedulesOf(db, organizationId, { makerId: id }, Date.now());
  return [
    ...workflows.map((workflow) => ({ type: 'workflow' as const, id: workflow.id, name: workflow.title })),
    ...schedules.map((schedule) => ({
      type: 'schedule' as const,
      id: schedule.id,
      name: schedule.description,
    })),
  ];
}

/** Ends the sessions and keys of revoked credentials; the reconciler ends what cannot be ended now. */
export async function removeEnded(deps: ApiDeps, credentials: readonly LakeCredential[]): Promise<void> {
  await Promise.all(
    credentials.map(({ organization_id: organizationId, id: credentialId }) =>
      removeCredential(deps, { organizationId, credentialId }).catch((err: unknown) => {
        deps.logger.warn({ err, credentialId }, 'a lake credential is removed later');
      }),
    ),
  );
}
