import { z } from 'zod';
import { AppError } from '../../../data/errors.ts';
import { isId } from '../../../data/ids.ts';
import { commitSnapshots, isSnapshotCommitted } from '../../../domain/tables/iceberg/commit.ts';
import {
  changeProperties,
  columnsOf,
  createIcebergTable,
  type EngineSchema,
} from '../../../domain/tables/iceberg/create.ts';
import { placesOf, tableUuid } from '../../../domain/tables/iceberg/places.ts';
import { refuseUnlessWritable } from '../../../domain/tables/tables/grants.ts';
import { dropTable } from '../../../domain/tables/tables/lifecycle.ts';
import { findTableByName, nameTaken, type TableRow } from '../../../domain/tables/tables/registry.ts';
import { numbered, tableMetadata } from '../../../packages/iceberg/index.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { type Call, type Load, route } from '../../route.ts';
import { accessTo } from './access.ts';
import { getNamed, refuseForeign, tablePath, tablesPath, toLoad } from './named.ts';
import { loadedTable } from './schemas.ts';
import { checkRequirements, type KnownMetadata, readUpdates, type TableUpdate } from './updates.ts';
import { commitBody, committedTable, createBody, dropQuery } from './write-schemas.ts';

/** Engines create, write and drop tables of their own by the same catalog. */
export function icebergWriteRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: 'Iceberg catalog' };
  const table = { iceberg: 'Table', idempotent: false } as const;

  route(
    app,
    at,
    ['POST', tablesPath],
    {
      ...table,
      summary: 'Create a table that engines write',
      operationId: 'createIcebergTable',
      audit: 'table.created',
      description:
        'Creates an empty table of the kind `iceberg`. With `stage-create`, the table is created by the first commit. Partitions and sort orders are not supported.',
      body: createBody,
      bodyLimit: 1_048_576,
      exists: async (_db, organizationId, params) => refuseForeign(organizationId, params),
      errors: ['name_taken', 'unsupported_option', 'storage_unavailable'],
    },
    { 200: loadedTable },
    async (call) => {
      const { body, organizationId } = call;
      refuseForeign(organizationId, call.params);
      if ((body['partition-spec']?.fields ?? []).length > 0)
        throw new AppError('unsupported_option', "This catalog doesn't partition tables.");
      if ((body['write-order']?.fields ?? []).length > 0)
        throw new AppError('unsupported_option', "This catalog doesn't sort tables.");
      if (body.location != null)
        throw new AppError('unsupported_option', 'The catalog chooses the location. Leave `location` out.');
      columnsOf(body.schema);
      const id = call.newId('tbl');
      const properties = body.properties ?? {};
      if (body['stage-create'] === true)
        return stage(call, { id, name: body.name, schema: body.schema, properties });
      const row = await create(call, { id, name: body.name, schema: body.schema, properties });
      return loaded(call, row);
    },
  );

  const exists: Load<typeof tablePath> = async (_db, organizationId, params) =>
    refuseForeign(organizationId, params);
  route(
    app,
    at,
    ['POST', tablePath],
    {
      ...table,
      summary: 'Commit to a table',
      operationId: 'commitIcebergTable',
      audit: 'table.committed',
      description:
        'Appends, overwrites and deletes rows of a table that engines created; each commit is one version. Data files must be Parquet below the location of the table. All other tables are read-only here.',
      body: commitBody,
      bodyLimit: 1_048_576,
      exists,
      errors: ['conflict', 'name_taken', 'unsupported_option', 'verification_failed', 'storage_unavailable'],
    },
    { 200: committedTable },
    async (call) => {
      const isNew = call.body.requirements.some(({ type }) => type === 'assert-create');
      refuseForeign(call.organizationId, call.params);
      const update = readUpdates(call.body.updates, isNew);
      const row = isNew ? await createStaged(call, update) : await writableTable(call);
      const before = await deps.iceberg.load(await toLoad(deps, row));
      const metadata = before.metadata as KnownMetadata;
      if (!isNew) {
        const isRepeated = update.snapshots.length > 0 && (await isCommitted(call, row, update));
        if (!isRepeated) checkRequirements(call.body.requirements, metadata);
        if (update.location !== undefined && update.location !== metadata.location)
          throw new AppError('unsupported_option', 'The location of a table stays.');
      }
      if (update.snapshots.length > 0)
        await commitSnapshots(
          deps,
          {
            ...{ organizationId: call.organizationId, tableId: row.id, tableName: row.name },
            ...{ snapshots: update.snapshots, expectedVersion: metadata['current-snapshot-id'] },
            committedBy: call.caller.id,
          },
          call.request.signal ?? new AbortController().signal,
        );
      const { set, remove } = update;
      if (Object.keys(set).length > 0 || remove.length > 0)
        await call.transaction((db) =>
          changeProperties(db, { organizationId: call.organizationId, tableId: row.id }, { set, remove }),
        );
      call.audit({ resource: { id: row.id, name: row.name } });
      const after = await deps.iceberg.load(await toLoad(deps, row));
      return { 'metadata-location': after.metadataLocation, metadata: after.metadata };
    },
  );
  route(
    app,
    at,
    ['DELETE', tablePath],
    {
      ...table,
      summary: 'Drop a table that engines write',
      operationId: 'dropIcebergTable',
      audit: 'table.deleted',
      description:
        'Earlier versions of the table go with it. Other tables are dropped with `DELETE /v1/tables/{table_id}`.',
      query: dropQuery,
      exists,
      errors: ['conflict', 'unsupported_option', 'storage_unavailable'],
    },
    { 204: z.null().describe('The table is gone.') },
    async (call) => {
      refuseForeign(call.organizationId, call.params);
      const row = await writableTable(call);
      call.audit({ resource: { id: row.id, name: row.name } });
      await dropTable(deps, call.organizationId, row.id, call.caller.id);
      return null;
    },
  );

  type CatalogCall = Pick<Call, 'organizationId' | 'caller' | 'request' | 'transaction'>;

  async function writableTable(call: Call<typeof tablePath>): Promise<TableRow> {
    const row = await call.transaction((db) => getNamed(db, call.organizationId, call.params.table));
    if (row.kind !== 'iceberg')
      throw new AppError(
        'unsupported_option',
        `The table ${row.name} is read-only here: this service writes it. Engines write tables that they created.`,
      );
    refuseUnlessWritable(row);
    return row;
  }

  interface NewTable {
    id: string;
    name: string;
    schema: EngineSchema;
    properties: Readonly<Record<string, string>>;
  }

  function create({ organizationId, caller }: CatalogCall, made: NewTable): Promise<TableRow> {
    const ownerUserId = caller.kind === 'user' ? caller.id : null;
    return createIcebergTable(deps, { ...made, organizationId, ownerUserId, committedBy: caller.id });
  }

  async function loaded(call: Call, row: TableRow) {
    const found = await deps.iceberg.load(await toLoad(deps, row));
    call.reply.header('Cache-Control', 'no-store');
    const access = await accessTo(deps, call, row, found);
    return { 'metadata-location': found.metadataLocation, metadata: found.metadata, ...access };
  }

  async function placesIn(organizationId: string, tableId: string) {
    const { dataPath } = (await deps.lake.catalog.get(organizationId)).writer;
    return placesOf({ organizationId, tableId }, { dataPath, bucket: deps.objects.settings.bucket });
  }

  /** Metadata of a table that the engine fills before it exists. */
  async function stage(call: Call, { id, name, schema, properties }: NewTable) {
    const taken = await call.transaction((db) => findTableByName(db, call.organizationId, name));
    if (taken !== undefined) throw nameTaken(name);
    const { location, metadataUrl } = await placesIn(call.organizationId, id);
    const { schema: own, lastColumnId } = numbered(schema);
    const metadata = tableMetadata({
      ...{ uuid: tableUuid(id), location, lastColumnId, schemas: [own], snapshots: [], properties },
    });
    const row = { id, name, kind: 'iceberg' as const, readers: null, writers: null };
    const folder = `${location}/`.slice(`s3://${deps.objects.settings.bucket}/`.length);
    const access = await accessTo(deps, call, row, { folders: [folder] });
    return { 'metadata-location': `${metadataUrl}staged.json`, metadata, ...access };
  }

  /** Creates the table that an earlier request has staged; its id is in the location that was given out. */
  async function createStaged(call: Call<typeof tablePath>, update: TableUpdate): Promise<TableRow> {
    const { schema, location = '', set: properties } = update;
    if (schema === undefined)
      throw new AppError('invalid_request', 'A commit that creates a table needs the update add-schema.');
    const id = location.slice(location.lastIndexOf('/') + 1);
    const places = await placesIn(call.organizationId, id);
    if (!isId('tbl', id) || places.location !== location)
      throw new AppError('invalid_request', 'The location is not one that this catalog gave out.');
    const taken = await call.transaction((db) => findTableByName(db, call.organizationId, call.params.table));
    if (taken !== undefined && taken.id !== id) throw nameTaken(call.params.table);
    return create(call, { id, name: call.params.table, schema, properties });
  }

  async function isCommitted(call: CatalogCall, row: TableRow, { snapshots }: TableUpdate): Promise<boolean> {
    return isSnapshotCommitted(
      deps,
      { organizationId: call.organizationId, tableId: row.id },
      snapshots.at(-1)!.id,
    );
  }
}
