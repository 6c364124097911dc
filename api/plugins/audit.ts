import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { type Acting, actingAs } from '../../data/postgres/acting.ts';
import { type NewAuditEvent, recordEvents } from '../../domain/workspace/audit/events.ts';
import type { Recorder } from '../../domain/workspace/audit/recorder.ts';
import type { Caller } from '../caller.ts';
import { type AuditActions, auditActions } from './audit-action.ts';

/** What is known of a request's event while it is handled. */
interface Audited {
  action: string;
  isRecorded: boolean;
  processId: string | null;
  /** Of the answer, if the handler gave any. */
  resource: Resource | undefined;
  /** What the request makes, if neither its answer nor its path names it. */
  made: Resource | undefined;
  /** What the handler says of its event, instead of what is taken from its answer. */
  given: AuditNote;
  isAnswered: boolean;
}

/** What a handler knows of its event beyond its answer. */
export interface AuditNote {
  resource?: Resource;
  detail?: Record<string, unknown>;
}

type Resource = NewAuditEvent['resource'];

declare module 'fastify' {
  interface FastifyInstance {
    /** By method and address as declared: `GET /v1/projects/:project_id`. */
    auditActions: Map<string, AuditActions>;
  }
}

/** These commit to the lake: a failure afterwards does not take back what they did. */
const inLake: ReadonlySet<string> = new Set([
  'rows.appended',
  'rows.upserted',
  'rows.deleted',
  'batch.page_staged',
]);

const audited = new WeakMap<FastifyRequest, Audited>();

/** Sets what the event of a request records; before the transaction commits that is recorded with it. */
export function noteForAudit(request: FastifyRequest, note: AuditNote): void {
  const known = audited.get(request);
  if (known !== undefined) known.given = { ...known.given, ...note };
}

/** Sets the id of what a request makes. */
export function noteMade(request: FastifyRequest, id: string): void {
  const known = audited.get(request);
  if (known !== undefined) known.made ??= { id, name: nameOf(request.body) };
}

/**
 * Every handler works for its caller, and what it changes is recorded in the first of its transactions that
 * changes something. What has no transaction of ours (rows in the lake) is recorded before it is answered,
 * and an answer that cannot be recorded is not given. A change that was recorded and then failed gets a
 * second event, `refused`, as do requests that lack a scope or a role. A write to the lake that is answered
 * as a failure of the service may be there all the same: its event says that this is uncertain.
 */
export function audit(app: FastifyInstance, record: Recorder): void {
  app.decorate('auditActions', new Map());
  app.addHook('onRoute', (route) => {
    const { handler, config, url } = route;
    const [method = 'GET'] = [route.method].flat();
    const actions = auditActions({
      ...{ method, url, operationId: route.schema?.operationId ?? '' },
      ...{ isPublic: config?.scope === 'public', declared: config?.audit },
    });
    app.auditActions.set(`${method} ${url}`, actions);
    const action = config?.scope === 'public' ? undefined : actions.done;
    const act: RouteHandlerMethod = function (request, reply) {
      return actingAs(actingOf(request, action), () => handler.call(this, request, reply));
    };
    route.handler = act;
    const exists = config?.exists;
    if (exists !== undefined)
      route.config = {
        ...config!,
        exists: (organizationId, params, caller) =>
          actingAs({ principalId: principalOf(caller) }, () => exists(organizationId, params, caller)),
      };
  });

  app.addHook('preSerialization', async (request, _reply, payload: unknown) => {
    const known = audited.get(request);
    if (known !== undefined) known.resource = resourceOf(payload) ?? known.resource;
    return payload;
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const event = lateEvent(request, reply);
    // The answer is already a refusal or a failure, so a failed record can't replace it.
    if (event !== undefined && reply.statusCode >= 400)
      await record(event).catch((err: unknown) => request.log.warn({ err }, 'a failure was not recorded'));
    else if (event !== undefined) await record(event);
    return payload;
  });
}

/** Administrators see every table. */
const principalOf = (caller: Caller | undefined): string | undefined =>
  caller === undefined || caller.admin ? undefined : caller.id;

function actingOf(request: FastifyRequest, action: string | undefined): Acting {
  const { caller } = request;
  const principalId = principalOf(caller);
  if (caller === undefined || action === undefined) return { principalId };
  const known: Audited = {
    action,
    isRecorded: false,
    processId: null,
    resource: undefined,
    made: undefined,
    given: {},
    isAnswered: false,
  };
  audited.set(request, known);
  return {
    principalId,
    processStarted: (id) => {
      known.processId ??= id;
    },
    beforeCommit: async (db, result) => {
      if (known.isRecorded) return undefined;
      const { resource = resourceOf(result) ?? ofRequest(request), detail = null } = known.given;
      const event = eventOf(request, caller, { action, resource, outcome: 'done', detail });
      const recorded = await recordEvents(db, caller.organizationId, [event], { onlyIfWritten: true });
      if (recorded === 0) return undefined;
      return () => {
        known.isRecorded = true;
      };
    },
  };
}

/** What is left to record when a request is answered. */
function lateEvent(request: FastifyRequest, reply: FastifyReply): NewAuditEvent | undefined {
  const { caller, method, routeOptions } = request;
  if (caller === undefined || routeOptions.url === undefined) return undefined;
  const known = audited.get(request);
  const { statusCode: status } = reply;
  const resource = known?.given.resource ?? known?.resource ?? ofRequest(request);
  const refused = (more: object = {}) =>
    eventOf(request, caller, {
      action: request.server.auditActions.get(`${method} ${routeOptions.url}`)!.refused,
      resource,
      outcome: 'refused',
      detail: { status, ...more },
    });
  const isSecond = known?.isAnswered === true;
  if (known !== undefined) known.isAnswered = true;
  const isUncertain = known?.isRecorded === false && inLake.has(known.action);
  if (status >= 500 && isUncertain) return refused({ uncertain: true });
  // An event that cannot be recorded is answered with an error, which is sent by way of this hook again.
  if (isSecond) return undefined;
  if (status === 403) return refused();
  if (known === undefined) return undefined;
  if (status >= 400) return known.isRecorded ? refused() : undefined;
  if (known.isRecorded || reply.getHeader('Idempotent-Replayed') !== undefined) return undefined;
  return eventOf(request, caller, {
    action: known.action,
    resource,
    outcome: 'done',
    detail: known.given.detail ?? null,
    processId: known.processId,
  });
}

function eventOf(
  request: FastifyRequest,
  { organizationId, kind, id }: Caller,
  given: Pick<NewAuditEvent, 'action' | 'resource' | 'outcome'> &
    Partial<Pick<NewAuditEvent, 'detail' | 'processId'>>,
): NewAuditEvent {
  return {
    detail: null,
    processId: audited.get(request)?.processId ?? null,
    ...given,
    organizationId,
    actor: { type: kind, id },
    address: request.ip,
    requestId: request.id,
  };
}

/**
 * The last id of the path, or what the request makes; other parameters, such as a page's number, name a part
 * of it.
 */
function ofRequest(request: FastifyRequest): Resource {
  const given = Object.values((request.params ?? {}) as Record<string, string>);
  const id = given.findLast((value) => /^[a-z]{3}_/.test(value));
  return id === undefined ? (audited.get(request)?.made ?? { id: null, name: null }) : { id, name: null };
}

const nameKeys = ['name', 'title', 'path', 'email', 'description'] as const;

function nameOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const members = value as Record<string, unknown>;
  return nameKeys.map((key) => members[key]).find((one) => typeof one === 'string') ?? null;
}

/** The resource of a row, or of an answer, or of what is one level below. */
function resourceOf(value: unknown, depth = 0): Resource | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = value as Record<string, unknown>;
  const id = [members['id'], members['clientId'], members['tableId']].find((one) => typeof one === 'string');
  if (typeof id === 'string') {
    return { id, name: nameOf(members) };
  }
  if (depth === 2) return undefined;
  for (const member of Object.values(members)) {
    const found = resourceOf(member, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
