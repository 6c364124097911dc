import { AppError } from '../../../data/errors.ts';
import { readBytes } from '../../../data/objects/read.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { rowsDocument } from '../../tables/stored-results/stored-results.ts';
import { findFile } from '../../workspace/files/files.ts';
import { type ExportDeps, exportReport } from '../reports/export.ts';
import { findReport, type Report } from '../reports/reports.ts';
import { getVersion, type ReportVersion } from '../reports/versions.ts';
import type { DeliveredContent } from './content.ts';
import type { Delivery } from './deliveries.ts';

const maxTextLength = 100_000;

type Of = Pick<Delivery, 'organization_id' | 'project_id'>;

export interface SizeLimit {
  maxBytes: number;
  /** The message if the content is larger. */
  message: string;
}

/** The bytes of the content. Throws an AppError if it was deleted meanwhile, or is too large. */
export async function loadContent(
  deps: ExportDeps,
  of: Of,
  thing: DeliveredContent,
  limit: SizeLimit,
): Promise<Buffer> {
  if (thing.type === 'rows')
    return bounded(await rowsDocument(deps.objects, thing.rows, thing.format), limit);
  if (thing.type === 'file') return loadFile(deps, of, thing.fileId, limit);
  const { report, version } = await reportOf(deps, of, thing);
  return bounded(await exportReport(deps, report, version, thing.format), limit);
}

/** The Markdown of a report as a mail's text. */
export function textOf({ content }: Pick<ReportVersion, 'content'>): string {
  if (content.length <= maxTextLength) return content;
  // Avoids cutting a surrogate pair in half.
  const shown = content
    .slice(0, maxTextLength)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  return `${shown}\n\n[The report is cut here. It has ${content.length} characters, and a mail shows the first ${maxTextLength}. The complete report is attached.]\n`;
}

/** @throws AppError not_found if it was deleted meanwhile */
export function reportOf(
  { db }: ExportDeps,
  { organization_id: organizationId, project_id: projectId }: Of,
  { reportId, revision }: { reportId: string; revision: number },
): Promise<{ report: Report; version: ReportVersion }> {
  return inOrganization(db, organizationId, async (transaction) => {
    const report = await findReport(transaction, organizationId, reportId);
    if (report === undefined || report.project_id !== projectId) throw deleted('report');
    return { report, version: await getVersion(transaction, report, revision) };
  });
}

async function loadFile(
  { db, objects }: ExportDeps,
  { organization_id: organizationId, project_id: projectId }: Of,
  fileId: string,
  limit: SizeLimit,
): Promise<Buffer> {
  const file = await inOrganization(db, organizationId, (transaction) =>
    findFile(transaction, organizationId, fileId),
  );
  if (file === undefined || file.project_id !== projectId) throw deleted('file');
  if (file.size_bytes > limit.maxBytes) throw tooLarge(limit);
  return bounded(await readBytes(objects, file.object_key), limit);
}

function bounded(bytes: Buffer, limit: SizeLimit): Buffer {
  if (bytes.length > limit.maxBytes) throw tooLarge(limit);
  return bytes;
}

const deleted = (what: string) =>
  new AppError('not_found', `The ${what} was deleted before it was delivered.`);

const tooLarge = ({ message }: SizeLimit) => new AppError('conflict', message);
