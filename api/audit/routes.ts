import { z } from 'zod';
import { type AuditEvent, listEvents } from '../../domain/workspace/audit/events.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { route } from '../route.ts';
import { decodeCursor, idCursor, type ListRequest, page, pageQuery, timestamp, toPage } from '../schemas.ts';

const eventSchema = z
  .object({
    id: z.string(),
    at: timestamp,
    actor: z.object({
      type: z.enum(['user', 'client', 'system']),
      id: z.string().nullable(),
      name: z.string().nullable().describe('The name of the actor at the time of the event.'),
    }),
    action: z.string().describe('The kind of resource and what was done to it.'),
    resource: z.object({ type: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    outcome: z.enum(['done', 'refused']),
    address: z.string().nullable(),
    requestId: z.string().nullable(),
    processId: z.string().nullable().describe('The workflow that the action started.'),
    detail: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEvent' });

const example = {
  id: 'aud_01kahz3v6dfyvb1s8m3h9q2w4x',
  at: '2026-11-24T08:30:00.000Z',
  actor: { type: 'user', id: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x', name: 'Ada' },
  action: 'connection.updated',
  resource: { type: 'connection', id: 'con_01kahz3v6dfyvb1s8m3h9q2w4x', name: 'Shop' },
  outcome: 'done',
  address: '203.0.113.7',
  requestId: '7f3c2a5e-2f0b-4a3e-9d0a-0c1f4f2f9a11',
  processId: null,
  detail: null,
} satisfies z.input<typeof eventSchema>;

const instant = z.iso.datetime({ offset: true });
const query = pageQuery.extend({
  actor_id: z.string().max(100).optional(),
  action: z.string().max(100).optional(),
  resource_id: z.string().max(100).optional(),
  from: instant.optional().describe('Only events at or after this time, in RFC 3339.'),
  to: instant.optional().describe('Only events before this time, in RFC 3339.'),
});

/** Who did what in the organization. */
export function auditRoutes(app: Routes, deps: ApiDeps): void {
  route(
    app,
    { db: deps.db, tag: { name: 'Tenant', description: 'The organization of the caller.' } },
    ['GET', '/v1/audit-events'],
    {
      summary: 'List audit events, newest first',
      description:
        'The log records every change, sign-in, shown secret and export, and every refusal for a missing scope or role. Nobody can change or delete an event. Each event is kept for 400 days.',
      admin: true,
      query,
    },
    { 200: page(eventSchema).meta({ examples: [{ items: [example], nextCursor: null }] }) },
    async ({ organizationId, query: given, request, transaction }) => {
      const list = request as ListRequest;
      const filter = {
        actorId: given.actor_id,
        action: given.action,
        resourceId: given.resource_id,
        from: given.from === undefined ? undefined : new Date(given.from),
        to: given.to === undefined ? undefined : new Date(given.to),
      };
      const slice = { after: decodeCursor(idCursor, list), limit: given.limit + 1 };
      const rows = await transaction((db) => listEvents(db, organizationId, filter, slice));
      return toPage(list, rows, ({ id }) => id, view);
    },
  );
}

function view(row: AuditEvent): z.input<typeof eventSchema> {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    action: row.action,
    resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
    outcome: row.outcome,
    address: row.address,
    requestId: row.request_id,
    processId: row.process_id,
    detail: row.detail as Record<string, unknown> | null,
  };
}
