import { AppError } from '../../../data/errors.ts';
import type { LoadedTable } from '../../../domain/tables/iceberg/load.ts';
import { placesOf } from '../../../domain/tables/iceberg/places.ts';
import { hiddenTableIds, isWritable } from '../../../domain/tables/tables/grants.ts';
import type { TableRow } from '../../../domain/tables/tables/registry.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Call } from '../../route.ts';

/** A policy that lists more folders than this is too long for Amazon (2,048 characters). */
const mostFolders = 8;

/** A table, or one that is about to be created. */
export type TableOfEngine = Pick<TableRow, 'id' | 'name' | 'kind' | 'readers' | 'writers'>;

type Wanted = 'vended-credentials' | 'remote-signing';

/** The ways to read files that the client knows and this catalog offers, in the client's order. */
function wantedBy(header: string | string[] | undefined): Wanted[] {
  const names = [header ?? ''].flat().join(',').split(',');
  return names
    .map((name) => name.trim())
    .filter((name) => name === 'vended-credentials' || name === 'remote-signing');
}

/** How the client reads the table's files: by keys, by signed requests, or by keys of its own. */
export async function accessTo(
  deps: ApiDeps,
  call: Call,
  table: TableOfEngine,
  loaded: Pick<LoadedTable, 'folders'>,
): Promise<{ config: Record<string, string>; 'storage-credentials'?: Credentials[] }> {
  const config = storeConfig(deps);
  for (const way of wantedBy(call.request.headers['x-iceberg-access-delegation'])) {
    if (way === 'remote-signing') return { config: { ...config, ...signing(call, table) } };
    const credentials = await credentialsOf(deps, call, table, loaded);
    if (credentials !== undefined)
      return { config: { ...config, ...credentials[0]!.config }, 'storage-credentials': credentials };
  }
  return { config };
}

export interface Credentials {
  prefix: string;
  config: Record<string, string>;
}

/**
 * A key for the table's files, once for each folder that it reads: some engines use a single one below the
 * table's location only. Undefined if the object store makes no keys.
 *
 * @throws AppError conflict where no key can be limited to the table
 */
export async function credentialsOf(
  deps: ApiDeps,
  call: Call,
  table: TableOfEngine,
  loaded: Pick<LoadedTable, 'folders'>,
): Promise<Credentials[] | undefined> {
  const { organizationId } = call;
  const { dataPath } = (await deps.lake.catalog.get(organizationId)).reader;
  const root = `s3://${deps.objects.settings.bucket}/`;
  // Who may read every table gets one prefix, so that a key outlives new files; others the table's own
  // folders.
  const hidden = await call.transaction(hiddenTableIds);
  const folders = outermost(
    hidden.size === 0 ? [...loaded.folders, dataPath.slice(root.length)] : loaded.folders,
  );
  const { location } = placesOf(
    { organizationId, tableId: table.id },
    { dataPath, bucket: deps.objects.settings.bucket },
  );
  const writable = isWritten(call, table) ? `${location.slice(root.length)}/` : undefined;
  if (writable !== undefined && !folders.some((folder) => writable.startsWith(folder)))
    folders.push(writable);
  if (folders.length > mostFolders)
    throw new AppError(
      'conflict',
      `The files of the table are in ${folders.length} folders, and a key can read ${mostFolders}. Read it with a client that may read every table, or with remote signing.`,
    );
  const key = await deps.icebergKeys.issue(organizationId, table.id, folders, writable);
  if (key === undefined) return undefined;
  const config = {
    ...storeConfig(deps),
    's3.access-key-id': key.accessKeyId,
    's3.secret-access-key': key.secretAccessKey,
  };
  return folders.map((folder) => ({ prefix: `${root}${folder}`, config }));
}

/** These folders without those that are within others. */
function outermost(folders: readonly string[]): string[] {
  const kept: string[] = [];
  for (const folder of [...folders].sort())
    if (!kept.some((outer) => folder.startsWith(outer))) kept.push(folder);
  return kept;
}

/** Whether engines write the table, and this caller may. */
export const isWritten = ({ caller }: Call, table: TableOfEngine): boolean =>
  table.kind === 'iceberg' && caller.scopes.includes('agent:write') && isWritable(table);

function storeConfig({ objects: { settings } }: ApiDeps): Record<string, string> {
  return {
    's3.region': settings.region,
    'client.region': settings.region,
    ...(settings.endpoint === undefined
      ? {}
      : { 's3.endpoint': settings.endpoint, 's3.path-style-access': 'true' }),
  };
}

/** Relative to the catalog's address. */
const signerPath = ({ organizationId }: Call, { name }: TableOfEngine): string =>
  ['v1', organizationId, 'namespaces', 'main', 'tables', encodeURIComponent(name), 'sign'].join('/');

function signing(call: Call, table: TableOfEngine): Record<string, string> {
  return {
    's3.remote-signing-enabled': 'true',
    's3.signer': 'S3V4RestSigner',
    's3.signer.endpoint': signerPath(call, table),
  };
}

const signedSeconds = 900;

/**
 * An address at which a request that an engine wants to make works, for a quarter of an hour.
 *
 * @throws AppError admin_required for an object that isn't part of the table; unsupported_option for writes
 */
export async function signRequest(
  deps: ApiDeps,
  loaded: LoadedTable,
  { method, uri, headers }: { method: string; uri: string; headers: Record<string, string[]> },
): Promise<{ uri: string; headers: Record<string, string[]> }> {
  if (method !== 'GET' && method !== 'HEAD')
    throw new AppError('unsupported_option', 'This catalog signs requests that read only.');
  const key = keyOf(uri, deps);
  const isOwn = key !== undefined && loaded.folders.some((folder) => key.startsWith(folder));
  if (!isOwn) throw new AppError('admin_required', 'The address is not that of a file of this table.');
  // What was signed is in the address; the client's other headers go with it.
  return { uri: await deps.objects.presignRead(key, method, signedSeconds), headers };
}

/** The key of an object by the address that an engine would ask; undefined for any other address. */
function keyOf(uri: string, { objects: { settings } }: ApiDeps): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { origin, host, pathname, search } = new URL(uri);
  if (search !== '' && search !== '?x-id=GetObject') return undefined;
  const path = decodeURIComponent(pathname.slice(1));
  // A path with such parts names another object than its text says.
  if (path.split('/').some((part) => part === '..' || part === '.' || part === '')) return undefined;
  if (host.startsWith(`${settings.bucket}.`)) return path;
  const isOurs =
    settings.endpoint === undefined
      ? /^s3[.-][a-z0-9.-]*amazonaws\.com(\.cn)?$/.test(host)
      : origin === new URL(settings.endpoint).origin;
  return isOurs && path.startsWith(`${settings.bucket}/`)
    ? path.slice(settings.bucket.length + 1)
    : undefined;
}
