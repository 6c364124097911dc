import type { z } from 'zod';
import type { Database, OrganizationTransaction } from '../data/postgres/client.ts';
import type { Routes } from './deps.ts';
import type { Tag } from './plugins/route-rules.ts';
import { type Audited, type Call, type Load, type Operation, route } from './route.ts';
import { decodeCursor, envelope, idCursor, type ListRequest, page, pageQuery, toPage } from './schemas.ts';

/** A path without its last part: the collection that contains the resource. */
type CollectionOf<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? Tail extends `${string}/${string}`
    ? `${Head}/${CollectionOf<Tail>}`
    : Head
  : never;

type Awaitable<T> = T | Promise<T>;

export interface ResourceDeclaration<Path extends string, Row, Schema extends z.ZodObject> {
  /** Of the document. One of its routes describes it. */
  tag: string | Tag;
  /** Path of one item: `/v1/projects/:project_id`. Its list is the path without the last part. */
  path: Path;
  schema: Schema;
  /** One item as answered, for the documentation. */
  example: z.input<Schema>;
  load: Load<Path, Row>;
  /** The parent of the list, for example its project or table. */
  parent?: Load<CollectionOf<Path>>;
  view(row: Row, call: Pick<Call, 'transaction' | 'request'>): Awaitable<z.input<Schema>>;
}

type Writing<Path extends string, Query extends z.ZodType, Body extends z.ZodType, Row> = Operation<
  Path,
  Query,
  Body
> &
  Audited & {
    run(call: Call<Path, z.output<Query>, z.output<Body>>): Promise<Row>;
    /** The default first; others are set on the call's reply. */
    status?: number | readonly number[];
  };

/**
 * The routes of a resource: `{data}` around one item, keyset pages of many, 404 before 422, and `Location`
 * for whatever was created or accepted. Other forms of routes are made with `route`, or plain Fastify.
 */
export function resource<const Path extends string, Row extends { id: string }, Schema extends z.ZodObject>(
  app: Routes,
  { db }: { db: Database },
  declared: ResourceDeclaration<Path, Row, Schema>,
) {
  const { path, schema, example, load, parent, view, tag } = declared;
  const collection = path.slice(0, path.lastIndexOf('/')) as CollectionOf<Path>;
  const one = envelope(schema).meta({ examples: [{ data: example }] });
  const many = page(schema).meta({ examples: [{ items: [example], nextCursor: null }] });
  const at = { db, tag };

  function write<At extends string, Query extends z.ZodType, Body extends z.ZodType>(
    where: readonly ['POST' | 'PUT' | 'PATCH' | 'DELETE', At],
    operation: Writing<At, Query, Body, Row>,
    usual: number,
  ): void {
    const statuses = [operation.status ?? usual].flat();
    const answers = Object.fromEntries(statuses.map((status) => [status, one]));
    route(app, at, where, operation, answers, async (call) => {
      if (statuses[0] !== undefined) call.reply.code(statuses[0]);
      const { exists } = operation;
      // Checked for every operation, so that no caller can act on a resource that is not visible to them.
      if (exists !== undefined)
        await call.transaction((db) => exists(db, call.organizationId, call.params, call.caller));
      const row = await operation.run(call);
      const { statusCode } = call.reply;
      // A create that finds an existing item also returns its location.
      const isMade = statusCode === 201 || (where[0] === 'POST' && statuses.includes(201));
      if (isMade || statusCode === 202) call.reply.header('Location', locationOf(path, call.params, row.id));
      return { data: await view(row, call) };
    });
  }

  return {
    /** `GET` of the list, by pages. */
    list<Query extends z.ZodObject = typeof pageQuery, Place extends z.ZodType = typeof idCursor>(
      operation: Operation<CollectionOf<Path>, Query, z.ZodUndefined> & {
        rows(
          db: OrganizationTransaction,
          call: Call<CollectionOf<Path>, z.output<Query>>,
          slice: { after: z.output<Place> | undefined; limit: number },
        ): Promise<readonly Row[] | { rows: readonly Row[]; shown: number }>;
        /** The position of rows in the list; default: by id. */
        place?: { schema: Place; of(row: Row): z.input<Place> };
      },
    ): void {
      const query = operation.query ?? pageQuery;
      const declaration = { exists: parent, ...operation, query } as typeof operation;
      route(app, at, ['GET', collection], declaration, { 200: many }, async (call) => {
        const request = call.request as ListRequest;
        const after = decodeCursor((operation.place?.schema ?? idCursor) as Place, request);
        const found = await call.transaction(async (db) => {
          await parent?.(db, call.organizationId, call.params, call.caller);
          return operation.rows(db, call, { after, limit: request.query.limit + 1 });
        });
        const { rows, shown } = 'rows' in found ? found : { rows: found, shown: undefined };
        const placeOf = operation.place?.of ?? (({ id }) => id);
        const { items, nextCursor } = toPage(request, rows, placeOf, (row) => view(row, call), shown);
        return { items: await Promise.all(items), nextCursor };
      });
    },

    /** `GET` of one item. */
    show(operation: Operation<Path, z.ZodUndefined, z.ZodUndefined>): void {
      route(app, at, ['GET', path], { exists: load, ...operation }, { 200: one }, async (call) => {
        const row = await call.transaction((db) => load(db, call.organizationId, call.params, call.caller));
        return { data: await view(row, call) };
      });
    },

    /** `POST` to the list, or to `at`: 201, or `status`. */
    create<
      Body extends z.ZodType = z.ZodUndefined,
      const At extends string = CollectionOf<Path>,
      Query extends z.ZodType = z.ZodUndefined,
    >(operation: Writing<At, Query, Body, Row> & { at?: At }): void {
      const where = (operation.at ?? collection) as At;
      const exists = operation.at === undefined ? (parent as Load<At> | undefined) : undefined;
      write(['POST', where], { exists, ...operation }, 201);
    },

    /** `PATCH` of one item. */
    change<Body extends z.ZodType>(operation: Writing<Path, z.ZodUndefined, Body, Row>): void {
      write(['PATCH', path], { exists: load, ...operation }, 200);
    },

    /** `PUT` of one item, or of `at`. */
    replace<Body extends z.ZodType, const At extends string = Path, Query extends z.ZodType = z.ZodUndefined>(
      operation: Writing<At, Query, Body, Row> & { at?: At },
    ): void {
      const exists = operation.at === undefined ? (load as Load<string> as Load<At>) : undefined;
      write(['PUT', (operation.at ?? path) as At], { exists, ...operation }, 200);
    },

    /** `DELETE` of one item; answers with its last state. */
    remove<Query extends z.ZodType = z.ZodUndefined>(
      operation: Writing<Path, Query, z.ZodUndefined, Row>,
    ): void {
      write(['DELETE', path], { exists: load, ...operation }, 200);
    },

    /** `POST` of an action: `cancel` of `/v1/table-imports/:import_id`. */
    action<
      const Name extends string,
      Body extends z.ZodType = z.ZodUndefined,
      Query extends z.ZodType = z.ZodUndefined,
    >(name: Name, operation: Writing<`${Path}/${Name}`, Query, Body, Row>): void {
      const exists = load as Load<`${Path}/${Name}`>;
      write(['POST', `${path}/${name}`], { exists, ...operation }, 200);
    },
  };
}

function locationOf(path: string, params: Readonly<Record<string, string>>, id: string): string {
  const own = path.lastIndexOf(':');
  return path
    .slice(0, own)
    .replace(/:([a-z_]+)/g, (_, name: string) => params[name]!)
    .concat(id);
}
