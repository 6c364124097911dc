import type { Selectable } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { limits } from '../../workspace/limits/limits.ts';

/**
 * Keys of the objects that a revision refers to, by their names in its Markdown: `chart:cht_…`,
 * `result:res_…`.
 */
export type ReportAssets = Readonly<Record<string, string>>;

export type ReportVersion = Selectable<DB['report_versions']>;
/** A revision without its text. */
export type ReportVersionHead = Omit<ReportVersion, 'content' | 'assets' | 'write_id'>;

interface DataVersion {
  tableId: string;
  version: number;
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    reports: {
      data_versions: DefaultedDocument<DataVersion[]>;
    };
    report_versions: {
      assets: DefaultedDocument<ReportAssets>;
      data_versions: DefaultedDocument<DataVersion[]>;
    };
  }
}

export const maxReportBytes = limits.reports.contentBytes.most;

export interface ReportContent {
  title: string;
  /** Markdown. */
  content: string;
  dataVersions: readonly DataVersion[];
  createdBy: string;
  /** Identifies the write, so that repeating it finds it done. */
  writeId: string;
}

interface Of {
  organization_id: string;
  id: string;
}

export function sizeOf(content: string): number {
  const sizeBytes = Buffer.byteLength(content);
  if (sizeBytes <= maxReportBytes) return sizeBytes;
  throw new AppError('invalid_request', 'The report has more than 2 MiB of Markdown. Split it.');
}

export async function insertVersion(
  db: OrganizationTransaction,
  report: Of & { revision: number },
  { title, content, dataVersions, createdBy, writeId }: ReportContent,
  assets: ReportAssets,
): Promise<void> {
  await db
    .insertInto('report_versions')
    .values({
      organization_id: report.organization_id,
      report_id: report.id,
      revision: report.revision,
      title,
      content,
      data_versions: JSON.stringify(dataVersions),
      write_id: writeId,
      created_by: createdBy,
      assets: JSON.stringify(assets),
    })
    .execute();
}

/** Whether this write created one of its revisions; later ones may have followed. */
export async function isWritten(db: OrganizationTransaction, report: Of, writeId: string): Promise<boolean> {
  const written = await versionsOf(db, report)
    .select('revision')
    .where('write_id', '=', writeId)
    .executeTakeFirst();
  return written !== undefined;
}

export async function getVersion(
  db: OrganizationTransaction,
  report: Of & { revision: number },
  revision = report.revision,
): Promise<ReportVersion> {
  const version = await versionsOf(db, report)
    .selectAll()
    .where('revision', '=', revision)
    .executeTakeFirst();
  if (version === undefined) throw notFound(`Revision ${revision} of the report`);
  return version;
}

/** Newest first. */
export function listVersions(
  db: OrganizationTransaction,
  report: Of,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<ReportVersionHead[]> {
  let query = versionsOf(db, report).select([
    'organization_id',
    'report_id',
    'revision',
    'title',
    'size_bytes',
    'data_versions',
    'created_by',
    'created_at',
  ]);
  if (after !== undefined) query = query.where('revision', '<', after);
  return query.orderBy('revision', 'desc').limit(limit).execute();
}

/** Assets already stored by any of its revisions. */
export async function knownAssets(db: OrganizationTransaction, report: Of): Promise<ReportAssets> {
  const rows = await versionsOf(db, report).select('assets').orderBy('revision').execute();
  return Object.assign({}, ...rows.map(({ assets }) => assets));
}

function versionsOf(db: OrganizationTransaction, report: Of) {
  return db
    .selectFrom('report_versions')
    .where('organization_id', '=', report.organization_id)
    .where('report_id', '=', report.id);
}
