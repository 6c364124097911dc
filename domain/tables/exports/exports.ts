import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { findRun, type Run } from '../../workspace/runs/runs.ts';
import type { AskedVersion } from '../query/asked-versions.ts';

/** What goes out, and what was written of it. Its state is that of its run, which has the same id. */
export type Export = RecordOf<'exports'>;
export type ExportFormat = Export['format'];

export interface ExportId {
  organizationId: string;
  exportId: string;
}

/** A file of an export, in its folder. */
export interface ExportFile {
  /** The end of its key in the object store. */
  key: string;
  /** Under which it is downloaded. */
  name: string;
  sizeBytes: number;
  sha256: string;
}

/** Versions that were asked for, by id of the table. */
export type AskedVersions = Record<string, AskedVersion>;

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    exports: {
      files: DefaultedDocument<ExportFile[]>;
      at_versions: DefaultedDocument<AskedVersions>;
    };
  }
}

export const contentTypes: Record<ExportFormat, string> = {
  csv: 'text/csv',
  'csv.gz': 'application/gzip',
  parquet: 'application/vnd.apache.parquet',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.file',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

const exports = records('exports', { prefix: 'exp', what: 'The export' });

export const { find: findExport, get: getExport, insert: insertExport, update: updateExport } = exports;

/** An export as it is shown. */
export interface ShownExport {
  id: string;
  row: Export;
  run: Run;
}

/** What expired is not there any more, whether or not it has been removed. */
const isKept = ({ expires_at: expiresAt }: Export): boolean =>
  expiresAt === null || expiresAt.getTime() > Date.now();

export async function showExport(
  db: OrganizationTransaction,
  { organizationId, exportId }: ExportId,
): Promise<ShownExport> {
  const row = await getExport(db, organizationId, exportId);
  if (!isKept(row)) throw notFound('The export');
  return shown(db, row);
}

/** Newest first. */
export async function showExports(
  db: OrganizationTransaction,
  organizationId: string,
  { after, limit }: Slice,
): Promise<ShownExport[]> {
  let query = db
    .selectFrom('exports')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', new Date())]));
  if (after !== undefined) query = query.where('id', '<', after);
  const rows = await query.orderBy('id', 'desc').limit(limit).execute();
  return Promise.all(rows.map((row) => shown(db, row)));
}

async function shown(db: OrganizationTransaction, row: Export): Promise<ShownExport> {
  const run = await findRun(db, row.organization_id, row.id);
  if (run === undefined) throw notFound('The export');
  return { id: row.id, row, run };
}
