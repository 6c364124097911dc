import { sql } from 'kysely';
import { newId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { RecordOf, Slice } from '../../../data/postgres/records.ts';

export type AuditEvent = RecordOf<'audit_events'>;

/** Something that was done or refused, as it is recorded. */
export interface NewAuditEvent {
  organizationId: string;
  actor: { type: AuditEvent['actor_type']; id: string | null };
  /** What was done to which kind of resource: `connection.updated`. */
  action: string;
  resource: { id: string | null; name: string | null };
  outcome: AuditEvent['outcome'];
  address: string | null;
  requestId: string | null;
  processId: string | null;
  detail: Record<string, unknown> | null;
}

const longestName = 300;

/**
 * Records events of one organization; the only place that does. Names of actors are those of now, so that
 * the record still names who it was when the person is gone. With `onlyIfWritten`, nothing is recorded in a
 * transaction that has changed nothing so far. Returns how many were recorded.
 */
export async function recordEvents(
  db: OrganizationTransaction,
  organizationId: string,
  events: readonly NewAuditEvent[],
  { onlyIfWritten = false } = {},
): Promise<number> {
  // Of the same clock as the ids, by which events are listed.
  const atMs = Date.now();
  const given = events.map((event) => ({
    id: newId('aud', atMs),
    actor_type: event.actor.type,
    actor_id: event.actor.id,
    action: event.action,
    resource_type: resourceTypeOf(event.action),
    resource_id: event.resource.id,
    resource_name: event.resource.name?.slice(0, longestName) ?? null,
    outcome: event.outcome,
    address: event.address,
    request_id: event.requestId,
    process_id: event.processId,
    detail: event.detail,
  }));
  const { rows } = await sql`
    INSERT INTO audit_events (organization_id, id, at, actor_type, actor_id, actor_name, action, resource_type,
      resource_id, resource_name, outcome, address, request_id, process_id, detail)
    SELECT ${organizationId}, e.id, ${new Date(atMs)}::timestamptz, e.actor_type, e.actor_id, coalesce(
        (SELECT u.name FROM users u WHERE u.organization_id = ${organizationId} AND u.id = e.actor_id),
        (SELECT c.name FROM api_clients c WHERE c.organization_id = ${organizationId} AND c.id = e.actor_id)),
      e.action, e.resource_type, e.resource_id, e.resource_name, e.outcome, e.address, e.request_id,
      e.process_id, e.detail
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS e (id text, actor_type text, actor_id text,
      action text, resource_type text, resource_id text, resource_name text, outcome text, address text,
      request_id text, process_id text, detail jsonb)
    WHERE ${!onlyIfWritten} OR pg_current_xact_id_if_assigned() IS NOT NULL
    RETURNING id`.execute(db);
  return rows.length;
}

const resourceTypeOf = (action: string) => action.slice(0, action.indexOf('.'));

export interface AuditFilter {
  actorId?: string | undefined;
  action?: string | undefined;
  resourceId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Newest first. */
export function listEvents(
  db: OrganizationTransaction,
  organizationId: string,
  { actorId, action, resourceId, from, to }: AuditFilter,
  { after, limit }: Slice,
): Promise<AuditEvent[]> {
  let query = db.selectFrom('audit_events').selectAll().where('organization_id', '=', organizationId);
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
  if (action !== undefined) query = query.where('action', '=', action);
  if (resourceId !== undefined) query = query.where('resource_id', '=', resourceId);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}
