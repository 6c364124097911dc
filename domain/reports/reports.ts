import { AppError, notFound } from '../../data/errors.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { type RecordOf, records } from '../../data/postgres/records.ts';
import { getOpenProject } from '../projects/projects.ts';

export type Report = RecordOf<'reports'>;

export const maxReportBytes = 2_097_152;
const contentType = 'text/markdown; charset=utf-8';
/** The list is whole by the interface: so many a project. */
const maxReports = 2_000;

const reports = records('reports', { prefix: 'rpt', what: 'The report' });

export interface ReportContent {
  title: string;
  /** Markdown. */
  content: string;
  dataVersions: readonly { tableId: string; version: number }[];
  createdBy: string;
  /** Names what writes it: the same write again finds itself done. */
  writeId: string;
}

export interface NewReport extends ReportContent {
  organizationId: string;
  projectId: string;
  id: string;
  source: Report['source'];
  sourceId: string | null;
}

/** Stores a report; the same id again finds the first. */
export async function insertReport(db: OrganizationTransaction, report: NewReport): Promise<Report> {
  const { organizationId, projectId, id } = report;
  await getOpenProject(db, organizationId, projectId);
  const earlier = await reports.find(db, organizationId, id);
  if (earlier !== undefined) return earlier;
  if ((await countReports(db, organizationId, projectId)) >= maxReports)
    throw new AppError('conflict', `The project has ${maxReports} reports; delete some first.`);
  const row = await reports.insert(db, {
    organization_id: organizationId,
    id,
    project_id: projectId,
    title: report.title,
    content_type: contentType,
    size_bytes: sizeOf(report),
    source: report.source,
    source_id: report.sourceId,
    data_versions: JSON.stringify(report.dataVersions),
    created_by: report.createdBy,
  });
  await insertVersion(db, row, report);
  return row;
}

/** Stores the next revision of a report; the one before is kept. */
export async function reviseReport(
  db: OrganizationTransaction,
  {
    organizationId,
    projectId,
    reportId,
    ...report
  }: ReportContent & { organizationId: string; projectId: string; reportId: string },
): Promise<Report> {
  await getOpenProject(db, organizationId, projectId);
  const before = await reports.find(db, organizationId, reportId, 'update');
  if (before === undefined || before.project_id !== projectId) throw notFound('The report');
  if (await isWritten(db, before, report.writeId)) return before;
  const revision = before.revision + 1;
  const row = await reports.update(db, organizationId, reportId, {
    title: report.title,
    size_bytes: sizeOf(report),
    revision,
    data_versions: JSON.stringify(report.dataVersions),
    updated_at: new Date(),
  });
  await insertVersion(db, row, report);
  return row;
}

/** Whether that write made one of its revisions: others may have followed it. */
async function isWritten(db: OrganizationTransaction, report: Report, writeId: string): Promise<boolean> {
  const written = await db
    .selectFrom('report_versions')
    .select('revision')
    .where('organization_id', '=', report.organization_id)
    .where('report_id', '=', report.id)
    .where('write_id', '=', writeId)
    .executeTakeFirst();
  return written !== undefined;
}

function sizeOf({ content }: ReportContent): number {
  const sizeBytes = Buffer.byteLength(content);
  if (sizeBytes <= maxReportBytes) return sizeBytes;
  throw new AppError('invalid_request', 'A report has at most 2 MiB of Markdown.');
}

async function insertVersion(
  db: OrganizationTransaction,
  report: Report,
  { title, content, dataVersions, createdBy, writeId }: ReportContent,
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
    })
    .execute();
}

export async function countReports(
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

/** All reports of a project, newest first. */
export function listReports(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<Report[]> {
  return reports.list(db, organizationId, { after: undefined, limit: maxReports }, { project_id: projectId });
}

export async function getReport(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
): Promise<Report> {
  const report = await reports.get(db, organizationId, id);
  if (report.project_id !== projectId) throw notFound('The report');
  return report;
}

/** The stored Markdown of the present revision. */
export async function readContent(db: OrganizationTransaction, report: Report): Promise<string> {
  return (await versionOf(db, report)).content;
}

function versionOf(db: OrganizationTransaction, report: Report) {
  return db
    .selectFrom('report_versions')
    .selectAll()
    .where('organization_id', '=', report.organization_id)
    .where('report_id', '=', report.id)
    .where('revision', '=', report.revision)
    .executeTakeFirstOrThrow();
}
