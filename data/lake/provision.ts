import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Cipher } from '../encryption.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { isUniqueViolation } from '../postgres/client.ts';
import { scramVerifier } from '../postgres/scram.ts';
import { addressOf } from './catalog-address.ts';
import { indexStatements } from './ducklake/indexes.ts';
import { catalogVersion, triggerStatements } from './ducklake/triggers.ts';
import type { LakeEngine } from './engine/contract.ts';
import { ledgerStatements } from './ledger-tables.ts';
import type { LakeLocation } from './location.ts';
import { identifier, literal } from './sql.ts';

/**
 * The two roles for one organization's lake: the service writes as the owner, queries read with a role of
 * their own.
 */
export interface Lake {
  writer: LakeLocation;
  reader: LakeLocation;
  schema: string;
}

export interface LakeCatalog {
  /** The organization's lake, created on first use. */
  get(organizationId: string): Promise<Lake>;
}

export interface LakeCatalogDeps {
  /** Connections of the owner, which creates schemas and roles and reads every lake's catalog. */
  catalogPool: pg.Pool;
  databaseUrl: string;
  bucket: string;
  cipher: Cipher;
  engine: LakeEngine;
}

interface LakeRow {
  schema_name: string;
  data_path: string;
  reader_role: string;
  reader_password: Buffer;
  ready_at: Date | null;
  catalog_version: number;
}

const columns = 'schema_name, data_path, reader_role, reader_password, ready_at, catalog_version';

export function createLakeCatalog(deps: LakeCatalogDeps): LakeCatalog {
  const known = new Map<string, Promise<Lake>>();
  return {
    get(organizationId) {
      let lake = known.get(organizationId);
      if (lake === undefined) {
        lake = findOrMake(deps, organizationId);
        known.set(organizationId, lake);
        lake.catch(() => known.delete(organizationId));
      }
      return lake;
    },
  };
}

async function findOrMake(deps: LakeCatalogDeps, organizationId: string): Promise<Lake> {
  const { rows } = await deps.catalogPool.query<LakeRow>(
    `SELECT ${columns} FROM lakes WHERE organization_id = $1`,
    [organizationId],
  );
  const row = rows[0];
  if (row !== undefined && isReady(row)) return describe(deps, organizationId, row);
  return make(deps, organizationId);
}

/** A newer release may have written a higher catalog version, which serves this release too. */
function isReady(row: LakeRow): boolean {
  return row.ready_at !== null && row.catalog_version >= catalogVersion;
}

/** Longer than any commit takes. Also the longest that others wait behind these statements. */
const triggerLockTimeoutMs = 10_000;

/**
 * Creates a lake, or updates the triggers and indexes of one created by an older release. Safe to repeat
 * after a crash at any line: every step checks before it creates, and ready_at is set last.
 */
async function make(deps: LakeCatalogDeps, organizationId: string): Promise<Lake> {
  const client = await deps.catalogPool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [lakeLock(organizationId)]);
    await refuseDeleted(client, organizationId);
    const row = await insertRow(deps, client, organizationId);
    const lake = describe(deps, organizationId, row);
    if (isReady(row)) return lake;
    // Also of one that has a schema: a restored lake has no reader in its new cluster.
    await makeSchemaAndReader(deps, client, row);
    if (row.ready_at === null) await deps.engine.use(lake.writer, async () => undefined);
    await letUseReserved(client, row);
    await client.query('BEGIN');
    // This waits for a commit in progress in another process, not the other way around.
    await client.query(`SET LOCAL lock_timeout = '${triggerLockTimeoutMs}ms'`);
    const { schema_name: schema, reader_role: reader } = row;
    const mayRead = `GRANT SELECT ON ALL TABLES IN SCHEMA ${identifier(schema)} TO ${identifier(reader)}`;
    const statements = [
      [mayRead],
      ledgerStatements(schema, reader),
      triggerStatements(schema),
      indexStatements(schema),
    ];
    for (const statement of statements.flat()) await client.query(statement);
    await client.query(
      'UPDATE lakes SET ready_at = coalesce(ready_at, now()), catalog_version = $2 WHERE organization_id = $1',
      [organizationId, catalogVersion],
    );
    await client.query('COMMIT');
    return lake;
  } finally {
    // Ending the session also ends an open transaction and releases the lock, whatever happened above.
    client.release(true);
  }
}

/** Name of the lock of whoever makes or removes the lake of an organization. */
export const lakeLock = (organizationId: string): string => `lake:${organizationId}`;

/** What is left of work under way must not make the lake again that was just removed. */
async function refuseDeleted(client: pg.PoolClient, organizationId: string): Promise<void> {
  const { rows } = await client.query<{ deleted: boolean }>('SELECT is_being_deleted($1) AS deleted', [
    organizationId,
  ]);
  if (rows[0]!.deleted) throw new AppError('organization_suspended', 'The organization is being deleted.');
}

async function insertRow(
  deps: LakeCatalogDeps,
  client: pg.PoolClient,
  organizationId: string,
): Promise<LakeRow> {
  const id = newId('lak');
  await client.query(
    `INSERT INTO lakes (organization_id, schema_name, data_path, reader_role, reader_password)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (organization_id) DO NOTHING`,
    [
      organizationId,
      id,
      `s3://${deps.bucket}/lakes/${id}/`,
      `${id}_reader`,
      deps.cipher.seal(randomBytes(24).toString('base64url')),
    ],
  );
  const { rows } = await client.query<LakeRow>(`SELECT ${columns} FROM lakes WHERE organization_id = $1`, [
    organizationId,
  ]);
  return rows[0]!;
}

async function makeSchemaAndReader(
  deps: LakeCatalogDeps,
  client: pg.PoolClient,
  row: LakeRow,
): Promise<void> {
  const role = identifier(row.reader_role);
  const schema = identifier(row.schema_name);
  const password = literal(scramVerifier(deps.cipher.open(row.reader_password).toString()));
  await client.query(`CREATE ROLE ${role} LOGIN`).catch((error: unknown) => {
    const duplicate = (error as { code?: string }).code === '42710' || isUniqueViolation(error);
    if (!duplicate) throw error;
  });
  await client.query(`ALTER ROLE ${role} PASSWORD ${password} CONNECTION LIMIT 64`);
  await client.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
  // DuckLake creates new tables as it inlines rows; without a grant on one a reader would lose its engine.
  await client.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${role}`);
}

/** Reserved connections are for the service's readers too, where the owner may grant that. */
async function letUseReserved(client: pg.PoolClient, { reader_role: reader }: LakeRow): Promise<void> {
  await client.query(`GRANT pg_use_reserved_connections TO ${identifier(reader)}`).catch((error: unknown) => {
    if ((error as { code?: string }).code !== '42501') throw error;
  });
}

/**
 * @throws AppError storage_unavailable: the lake's files are in another bucket, as after a copy of the
 * database alone, and would be those of another deployment
 */
function describe(deps: LakeCatalogDeps, organizationId: string, row: LakeRow): Lake {
  if (!row.data_path.startsWith(`s3://${deps.bucket}/`))
    throw new AppError(
      'storage_unavailable',
      'The tables of this organization are in a different bucket from the one that this service uses. The operator can find out more with `npm run doctor`.',
    );
  const owner = addressOf(deps.databaseUrl);
  const location = (user: string, password: string): LakeLocation => ({
    organizationId,
    catalog: { ...owner, schema: row.schema_name, user, password },
    dataPath: row.data_path,
  });
  return {
    schema: row.schema_name,
    writer: location(owner.user, owner.password),
    reader: location(row.reader_role, deps.cipher.open(row.reader_password).toString()),
  };
}
