import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ErrorCode } from '../data/errors.ts';
import type { IdPrefix } from '../data/ids.ts';
import { type Database, inOrganization, type OrganizationTransaction } from '../data/postgres/client.ts';
import { type Caller, callerOf, idFor, type Scope } from './caller.ts';
import type { Routes } from './deps.ts';
import { type AuditNote, noteForAudit, noteMade } from './plugins/audit.ts';
import type { AuditAction } from './plugins/audit-action.ts';
import type { Tag } from './plugins/route-rules.ts';

/** The parameter names of a path: `/v1/projects/:project_id` has `project_id`. */
type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type Params<Path extends string> = Record<ParamName<Path>, string>;

/** Returns what the path names; throws not_found if it names nothing of this organization. */
export type Load<Path extends string, Row = unknown> = (
  db: OrganizationTransaction,
  organizationId: string,
  params: Params<Path>,
  caller: Caller,
) => Promise<Row>;

/** A validated request as its handler sees it, with what every handler needs. */
export interface Call<Path extends string = string, Query = unknown, Body = unknown> {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: Caller;
  organizationId: string;
  params: Params<Path>;
  query: Query;
  body: Body;
  /** Runs one transaction that sees only the organization's rows. */
  transaction<T>(work: (db: OrganizationTransaction) => Promise<T>): Promise<T>;
  /** A new id; under an idempotency key always the same for the same purpose. */
  newId(prefix: IdPrefix, purpose?: string): string;
  /** Sets what the audit records of the call; in or before the transaction that changes something. */
  audit(note: AuditNote): void;
}

export interface Operation<Path extends string, Query extends z.ZodType, Body extends z.ZodType> {
  summary: string;
  /** The operation's name in the document, if method and path don't describe it. */
  operationId?: string;
  /** What it is in the audit; a read is in it only if it takes data out of the service whole. */
  audit?: AuditAction;
  description?: string;
  scope?: Scope | 'signed-in';
  /** Requires an administrator. */
  admin?: boolean;
  /**
   * Of a route that answers a credential or raises a role: the scopes that its receiver could then use, which
   * the token that asks needs too.
   */
  handsOut?: (body: z.output<Body>) => readonly Scope[];
  query?: Query;
  body?: Body;
  /** For path parameters with rules of their own. */
  params?: z.ZodObject;
  /** What the path must name before any other fault is reported; a plain route also looks it up itself. */
  exists?: Load<Path> | undefined;
  /** Error codes besides those of every route. */
  errors?: readonly ErrorCode[];
  bodyLimit?: number;
  rawBody?: boolean;
  takesCsv?: boolean;
  takesCompressed?: boolean;
  idempotent?: boolean;
  /** A route of the Iceberg catalog, about a thing of this type. */
  iceberg?: 'Table' | 'Namespace';
}

const csvType = 'text/csv';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A route that changes something says what it is in the audit. */
export interface Audited {
  audit: AuditAction;
}

/**
 * Adds one route. Its default scope is `agent:read` for GET and `agent:write` otherwise; its parameters are
 * those of the path. `answers` are the schemas of its answers by status, the lowest of which is the default.
 */
export function route<
  const Path extends string,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  const By extends Method = Method,
>(
  app: Routes,
  { db, tag }: { db: Database; tag: string | Tag },
  [method, path]: readonly [By, Path],
  operation: Operation<Path, Query, Body> & (By extends 'GET' ? unknown : Audited),
  answers: Readonly<Record<number, unknown>>,
  handler: (call: Call<Path, z.output<Query>, z.output<Body>>) => Promise<unknown>,
): void {
  const {
    summary,
    operationId,
    audit,
    description,
    query,
    body,
    exists,
    bodyLimit,
    errors,
    rawBody,
    takesCsv,
    takesCompressed,
    idempotent,
    admin,
    handsOut,
    iceberg,
  } = operation;
  const scope = operation.scope ?? (method === 'GET' ? 'agent:read' : 'agent:write');
  const params = operation.params ?? paramsOf(path);
  const [usual] = Object.keys(answers).map(Number);
  const given = <T extends object>(members: T) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  app.route({
    method,
    url: path,
    ...given({ bodyLimit }),
    schema: {
      tags: [typeof tag === 'string' ? tag : tag.name],
      summary,
      ...given({ operationId, description, querystring: query, body, params }),
      ...(takesCsv === true ? { consumes: ['application/json', csvType] } : {}),
      response: answers,
    },
    config: {
      scope,
      ...given({
        tag: typeof tag === 'string' ? undefined : tag,
        audit,
        errors,
        rawBody,
        takesCsv,
        takesCompressed,
        idempotent,
        admin,
        handsOut,
        iceberg,
      }),
      ...(exists === undefined
        ? {}
        : {
            exists: (organizationId: string, named: Record<string, string>, caller: Caller) =>
              inOrganization(db, organizationId, (transaction) =>
                exists(transaction, organizationId, named as Params<Path>, caller),
              ),
          }),
    },
    handler: async (request, reply) => {
      reply.code(usual!);
      return handler(callOf(db, request, reply));
    },
  });
}

function callOf<Path extends string, Query, Body>(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
): Call<Path, Query, Body> {
  const caller = callerOf(request);
  const { organizationId } = caller;
  return {
    request,
    reply,
    caller,
    organizationId,
    params: request.params as Params<Path>,
    query: request.query as Query,
    body: request.body as Body,
    transaction: (work) => inOrganization(db, organizationId, work),
    newId: (prefix, purpose) => {
      const id = idFor(request, prefix, purpose);
      noteMade(request, id);
      return id;
    },
    audit: (note) => noteForAudit(request, note),
  };
}

function paramsOf(path: string): z.ZodObject | undefined {
  const names = [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name!);
  return names.length === 0
    ? undefined
    : z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
}
