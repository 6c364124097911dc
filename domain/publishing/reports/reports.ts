import { AppError, notFound } from '../../../data/errors.ts';
import { reportPrefix } from '../../../data/objects/keys.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, type RowLock, records } from '../../../data/postgres/records.ts';
import { hiddenTableIds } from '../../tables/tables/grants.ts';
import { deleteObjectLater } from '../../workspace/files/files.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import {
  getVersion,
  insertVersion,
  isWritten,
  type ReportAssets,
  type ReportContent,
  sizeOf,
} from './versions.ts';

export type Report = RecordOf<'reports'>;

const contentType = 'text/markdown; charset=utf-8';
/** Maximum number per project, because the API returns the complete list. */
/** Longer than a running export continues to read. */
const readersGraceMs = 600_000;

const reports = records('reports', { prefix: 'rpt', what: 'The report' });

export const { find: findReport } = reports;

export interface NewReport extends ReportContent {
  organizationId: string;
  projectId: string;
  id: string;
  source: Report['source'];
  sourceId: string | null;
}

/** Changes to a report; omitted fields stay. */
export interface ReportChange extends Partial<Pick<ReportContent, 'title' | 'content' | 'dataVersions'>> {
  organizationId: string;
  projectId: string;
  reportId: string;
  createdBy: string;
  writeId: string;
  expectedRevision?: number | undefined;
}

/**
 * Stores a report; with an existing id, returns that report. Its references are stored before, by
 * `storeReport`.
 */
export async function insertReport(
  db: OrganizationTransaction,
  report: NewReport,
  assets: ReportAssets = {},
): Promise<Report> {
  const { organizationId, projectId, id } = report;
  await getOpenProject(db, organizationId, projectId);
  const earlier = await reports.find(db, organizationId, id);
  if (earlier !== undefined) return earlier;
  refuseBeyond(limits.reports.reports, await countReports(db, organizationId, projectId));
  const row = await reports.insert(db, {
    organization_id: organizationId,
    id,
    project_id: projectId,
    title: report.title,
    content_type: contentType,
    size_bytes: sizeOf(report.content),
    source: report.source,
    source_id: report.sourceId,
    data_versions: JSON.stringify(report.dataVersions),
    created_by: report.createdBy,
  });
  // A concurrent attempt of the same write may have been first.
  if (!(await isWritten(db, row, report.writeId))) await insertVersion(db, row, report, assets);
  return row;
}

/** Stores the next revision of a report; the previous one is kept. */
export async function reviseReport(
  db: OrganizationTransaction,
  change: ReportChange,
  assets: ReportAssets = {},
): Promise<Report> {
  const { organizationId, projectId, reportId, createdBy, writeId } = change;
  await getOpenProject(db, organizationId, projectId);
  const before = await getReport(db, organizationId, projectId, reportId, 'update');
  if (await isWritten(db, before, writeId)) return before;
  refuseStale(before, change.expectedRevision);
  refuseBeyond(limits.reports.revisions, before.revision);
  const present = await getVersion(db, before);
  const next: ReportContent = {
    title: change.title ?? present.title,
    content: change.content ?? present.content,
    dataVersions: change.dataVersions ?? present.data_versions,
    createdBy,
    writeId,
  };
  const row = await reports.update(db, organizationId, reportId, {
    title: next.title,
    size_bytes: sizeOf(next.content),
    revision: before.revision + 1,
    data_versions: JSON.stringify(next.dataVersions),
    updated_at: new Date(),
  });
  const kept = change.content === undefined ? present.assets : assets;
  await insertVersion(db, row, next, kept);
  return row;
}

export function refuseStale({ revision }: Report, expected: number | undefined): void {
  if (expected === undefined || expected === revision) return;
  throw new AppError(
    'revision_conflict',
    `The report has changed: its revision is now ${revision}. Read it again, then repeat the change.`,
    {
      extensions: { current_revision: revision },
    },
  );
}

/** Deletes a report with its revisions; their objects are removed once no export can be reading them. */
export async function deleteReport(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
): Promise<Report> {
  const report = await getReport(db, organizationId, projectId, id, 'update');
  await deleteObjectLater(db, organizationId, reportPrefix(organizationId, id), readersGraceMs);
  await reports.remove(db, organizationId, id);
  return report;
}

async function countReports(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('reports')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A report as its reader may see it. */
export interface ShownReport extends Report {
  /** It was made from a table that the reader may not read. */
  isWithheld?: boolean;
}

/** Whether what was made from these versions is hidden from the transaction's principal. */
export async function withheldFrom(db: OrganizationTransaction) {
  const hidden = await hiddenTableIds(db);
  return ({ data_versions: versions }: Pick<Report, 'data_versions'>): boolean =>
    versions.some(({ tableId }) => hidden.has(tableId));
}

/** All reports of a project, newest first: the id of one that the analyst writes is older than the report. */
export async function listReports(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<Report[]> {
  const all = { after: undefined, limit: limits.reports.reports.most };
  const found = await reports.list(db, organizationId, all, { project_id: projectId });
  return found.sort((a, b) => b.created_at.getTime() - a.created_at.getTime());
}

export async function getReport(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
  lock?: RowLock,
): Promise<Report> {
  const report = await reports.get(db, organizationId, id, lock);
  if (report.project_id !== projectId) throw notFound('The report');
  return report;
}
