import { createHash } from 'node:crypto';
import { inlinedRowsSql, type TableContent } from '../../../data/lake/ducklake/table-content.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import { readText } from '../../../data/objects/read.ts';
import type { ObjectInfo, ObjectStore } from '../../../data/objects/store.ts';
import {
  type DataFile,
  type DeleteFile,
  dataManifest,
  deleteManifest,
  type IcebergField,
  type IcebergSchema,
  type IcebergSnapshot,
  type IcebergType,
  icebergFields,
  lastFieldId,
  type Manifest,
  type MappedName,
  manifestList,
  nameMapping,
} from '../../../packages/iceberg/index.ts';
import type { Places } from './places.ts';

/** One version of a table, described by files that engines read. */
export interface WrittenVersion {
  snapshot: IcebergSnapshot;
  schema: IcebergSchema;
  lastColumnId: number;
  /** `schema.name-mapping.default`; undefined if every file has field ids. */
  nameMapping: string | undefined;
  /** Columns that Iceberg has no type for. */
  leftOut: string[];
  /** Folders of the files that it refers to, as keys of the bucket. */
  folders: string[];
}

export interface VersionToWrite {
  version: number;
  committedAt: Date;
  operation: string;
  content: TableContent;
}

interface Deps {
  objects: Pick<ObjectStore, 'put' | 'head' | 'read' | 'settings'>;
  places: Places;
  /** Alias of the lake in the engine. */
  lake: string;
  /** A connection of the engine, opened when one is needed first. */
  engine: () => Promise<EngineConnection>;
}

/** Changes when versions are described in another way. */
const format = 1;
/** Files of one manifest. */
const filesOfManifest = 2_000;
/**
 * Bytes of files that are written again because their columns have other names than in the rest of the table.
 */
const mostRewrittenBytes = 268_435_456;

/** Iceberg's ids of the columns of a file of deleted positions. */
const positionIds = { file_path: 2_147_483_546, pos: 2_147_483_545 };

/**
 * Writes what engines need to read a version: manifests, and small Parquet files of what is only in the
 * catalog. The same content gets the same files, so it may be repeated; what was written before is found and
 * read.
 */
export async function writeVersion(deps: Deps, asked: VersionToWrite): Promise<WrittenVersion> {
  const { objects, places } = deps;
  const hash = createHash('sha256').update(`${format} ${asked.content.fingerprint}`).digest('hex');
  const folder = `${asked.version}-${hash.slice(0, 16)}/`;
  const key = `${places.metadataKey}${folder}version.json`;
  if (isFresh(await objects.head(key))) return JSON.parse(await readText(objects, key)) as WrittenVersion;
  const written = await write(deps, asked, folder);
  await objects.put(key, Buffer.from(JSON.stringify(written)), 'application/json');
  return written;
}

/** Metadata that was written long ago is written again, before it is removed (`remove.ts`). */
const freshForMs = 86_400_000;
const isFresh = (found: ObjectInfo | undefined): found is ObjectInfo =>
  found !== undefined && found.writtenAt.getTime() > Date.now() - freshForMs;

async function write(deps: Deps, asked: VersionToWrite, folder: string): Promise<WrittenVersion> {
  const { objects, places } = deps;
  const { content, version } = asked;
  const { fields, leftOut } = icebergFields(content.columns);
  const schema: IcebergSchema = { type: 'struct', 'schema-id': content.columnsSince, fields };
  const { fields: names, contradicting } = nameMapping(named(content));
  const files = await dataFiles(deps, asked, { folder, fields, rewritten: new Set(contradicting) });
  const deletes = await deleteFiles(deps, asked, { folder, files });

  const manifests: (Manifest & { url: string })[] = [];
  const add = async (name: string, manifest: Manifest) => {
    await objects.put(`${places.metadataKey}${folder}${name}`, manifest.bytes, 'application/avro');
    manifests.push({ ...manifest, url: `${places.metadataUrl}${folder}${name}` });
  };
  const all = [...files.values()];
  for (let from = 0; from < all.length; from += filesOfManifest)
    await add(`data-${from}.avro`, await dataManifest(schema, all.slice(from, from + filesOfManifest)));
  for (let from = 0; from < deletes.length; from += filesOfManifest)
    await add(
      `deletes-${from}.avro`,
      await deleteManifest(schema, deletes.slice(from, from + filesOfManifest), version),
    );
  const list = `${folder}snap-${version}.avro`;
  await objects.put(
    `${places.metadataKey}${list}`,
    await manifestList(version, manifests),
    'application/avro',
  );
  const records = all.reduce((sum, { rows }) => sum + rows, 0);
  const deleted = deletes.reduce((sum, { rows }) => sum + rows, 0);
  return {
    ...{ schema, lastColumnId: lastFieldId(content.columns), leftOut },
    nameMapping: names.length === 0 ? undefined : JSON.stringify(names),
    folders: foldersOf([...files.values(), ...deletes], objects.settings.bucket),
    snapshot: {
      'snapshot-id': version,
      'sequence-number': version,
      'timestamp-ms': asked.committedAt.getTime(),
      'manifest-list': `${places.metadataUrl}${list}`,
      summary: {
        operation: icebergOperation(asked.operation),
        'total-records': String(records - deleted),
        'total-data-files': String(all.length),
        'total-delete-files': String(deletes.length),
        'total-position-deletes': String(deleted),
      },
      'schema-id': schema['schema-id'],
    },
  };
}

/** Names in files without field ids; an item of a list has always the same name. */
function named({ columns, mappings }: TableContent): MappedName[] {
  const types = new Map(columns.map(({ id, type }) => [id, type]));
  const parents = new Map(columns.map(({ id, parent }) => [id, parent]));
  const isItem = (id: number) => types.get(parents.get(id) ?? -1) === 'list';
  return mappings.map((mapped) => (isItem(mapped.columnId) ? { ...mapped, name: 'element' } : mapped));
}

function icebergOperation(operation: string): string {
  if (operation === 'create' || operation === 'append') return 'append';
  return operation === 'delete' ? 'delete' : 'overwrite';
}

/** The version's data files, by DuckLake's id; rows of the catalog have the id -1. */
async function dataFiles(
  deps: Deps,
  { content, version }: VersionToWrite,
  {
    folder,
    fields,
    rewritten,
  }: { folder: string; fields: readonly IcebergField[]; rewritten: ReadonlySet<number> },
): Promise<Map<number, DataFile>> {
  const files = new Map<number, DataFile>();
  const again = content.files.filter(({ mapping }) => mapping !== null && rewritten.has(mapping));
  if (again.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > mostRewrittenBytes)
    throw new TooMuchToRewrite();
  for (const file of content.files) files.set(file.id, file);
  for (const file of again) {
    const url = `${deps.places.metadataUrl}files/${file.id}.parquet`;
    const names = new Map(
      content.mappings
        .filter(({ mapping, parent }) => mapping === file.mapping && parent === null)
        .map(({ columnId, name }) => [columnId, name]),
    );
    const columns = fields.map(({ id, name }) => {
      const source = names.get(id);
      return source === undefined ? undefined : `${identifier(source)} AS ${identifier(name)}`;
    });
    const select = `SELECT ${columns.filter((column) => column !== undefined).join(', ')} FROM read_parquet(${literal(file.url)})`;
    const present = fields.filter(({ id }) => names.has(id));
    const sizeBytes = await copy(deps, select, url, fieldIds(present));
    files.set(file.id, { ...file, url, sizeBytes });
  }
  if (content.inlinedRows > 0) {
    const url = `${deps.places.metadataUrl}${folder}rows.parquet`;
    const names = fields.map(({ name }) => name);
    const select = inlinedRowsSql(deps.lake, content.name, names, content.snapshotId);
    const sizeBytes = await copy(deps, select, url, fieldIds(fields));
    files.set(-1, { url, rows: content.inlinedRows, sizeBytes, addedBy: version, columns: [] });
  }
  return files;
}

/** The version cannot be described without writing large files again. */
export class TooMuchToRewrite extends Error {}

/** Deletions of the lake, written again with the ids that Iceberg gives to their columns. */
async function deleteFiles(
  deps: Deps,
  { content }: VersionToWrite,
  { folder, files }: { folder: string; files: ReadonlyMap<number, DataFile> },
): Promise<DeleteFile[]> {
  const written: DeleteFile[] = [];
  for (const { id, fileId, url: source, rows } of content.deletions) {
    const target = files.get(fileId);
    // Of a file that the version no longer has.
    if (target === undefined) continue;
    const url = `${deps.places.metadataUrl}deletes/${id}.parquet`;
    const known = await deps.objects.head(keyOf(url, deps));
    const select = `SELECT ${literal(target.url)} AS file_path, pos::BIGINT AS pos FROM read_parquet(${literal(source)}) ORDER BY pos`;
    const sizeBytes = isFresh(known) ? known.sizeBytes : await copy(deps, select, url, structOf(positionIds));
    written.push({ url, rows, sizeBytes });
  }
  if (content.inlinedDeletions.size > 0) {
    const url = `${deps.places.metadataUrl}${folder}deleted.parquet`;
    const positions = [...content.inlinedDeletions].map(([fileId, pos]) => ({
      file_path: files.get(fileId)!.url,
      pos,
    }));
    const select = `SELECT file_path, unnest(pos) AS pos FROM (
        SELECT unnest(from_json(${literal(JSON.stringify(positions))}, '[{"file_path":"VARCHAR","pos":["BIGINT"]}]'), recursive := true))
      ORDER BY file_path, pos`;
    const sizeBytes = await copy(deps, select, url, structOf(positionIds));
    written.push({ url, rows: positions.reduce((sum, { pos }) => sum + pos.length, 0), sizeBytes });
  }
  return written;
}

/** Writes the rows of a query to a Parquet file; returns its size in bytes. */
async function copy(deps: Deps, select: string, url: string, ids: string): Promise<number> {
  const engine = await deps.engine();
  await engine.run(
    `COPY (${select}) TO ${literal(url)} (FORMAT parquet, COMPRESSION zstd, FIELD_IDS ${ids})`,
  );
  const written = await deps.objects.head(keyOf(url, deps));
  if (written === undefined) throw new Error(`${url} was written and isn't there.`);
  return written.sizeBytes;
}

const keyOf = (url: string, { objects }: Deps): string =>
  url.slice(`s3://${objects.settings.bucket}/`.length);

const structOf = (ids: Readonly<Record<string, number | string>>): string =>
  `{${Object.entries(ids)
    .map(([name, id]) => `${literal(name)}: ${id}`)
    .join(', ')}}`;

/** Field ids of columns and their parts, as DuckDB's COPY takes them. */
const fieldIds = (fields: readonly IcebergField[]): string =>
  structOf(Object.fromEntries(fields.map(({ id, name, type }) => [name, idsOf(id, type)])));

function idsOf(id: number, type: IcebergType): number | string {
  if (typeof type === 'string') return id;
  const own = { __duckdb_field_id: id };
  if (type.type === 'list') return structOf({ ...own, element: idsOf(type['element-id'], type.element) });
  if (type.type === 'map')
    return structOf({
      ...own,
      key: idsOf(type['key-id'], type.key),
      value: idsOf(type['value-id'], type.value),
    });
  const parts = type.fields.map((field) => [field.name, idsOf(field.id, field.type)] as const);
  return structOf({ ...own, ...Object.fromEntries(parts) });
}

/** Folders of the bucket in which these files are. */
function foldersOf(files: readonly { url: string }[], bucket: string): string[] {
  const root = `s3://${bucket}/`;
  return [...new Set(files.map(({ url }) => url.slice(root.length, url.lastIndexOf('/') + 1)))].sort();
}
