import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { keepObject } from '../../workspace/files/files.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { type KeptAssets, keepAssets, type ReportDeps } from './assets.ts';
import {
  findReport,
  getReport,
  insertReport,
  type NewReport,
  type Report,
  type ReportChange,
  refuseStale,
  reviseReport,
} from './reports.ts';
import { isWritten, knownAssets, type ReportAssets, sizeOf } from './versions.ts';

/**
 * Stores a report with its references; with an existing id, returns that report. `within` runs in the same
 * transaction.
 */
export async function storeReport(
  deps: ReportDeps,
  report: NewReport,
  within: (db: OrganizationTransaction, report: Report) => Promise<unknown> = async () => undefined,
): Promise<Report> {
  const { organizationId, projectId, id } = report;
  sizeOf(report.content);
  const earlier = await inOrganization(deps.db, organizationId, async (db) => {
    await getOpenProject(db, organizationId, projectId);
    return findReport(db, organizationId, id);
  });
  if (earlier !== undefined) return earlier;
  const kept = await keepAssets(deps, { organizationId, projectId, reportId: id }, report.content);
  return naming(deps, organizationId, kept, report.writeId, async (db) => {
    const stored = await insertReport(db, report, kept.assets);
    await within(db, stored);
    return stored;
  });
}

/** Stores the next revision of a report with its references; repeating the same write changes nothing. */
export async function storeRevision(deps: ReportDeps, change: ReportChange): Promise<Report> {
  const { organizationId, projectId, reportId, content } = change;
  if (content !== undefined) sizeOf(content);
  const { before, isDone, known } = await inOrganization(deps.db, organizationId, async (db) => {
    await getOpenProject(db, organizationId, projectId);
    const report = await getReport(db, organizationId, projectId, reportId);
    return {
      before: report,
      isDone: await isWritten(db, report, change.writeId),
      known: await knownAssets(db, report),
    };
  });
  if (isDone) return before;
  refuseStale(before, change.expectedRevision);
  const kept: KeptAssets =
    content === undefined
      ? { assets: {}, prefix: undefined }
      : await keepAssets(deps, { organizationId, projectId, reportId }, content, known);
  return naming(deps, organizationId, kept, change.writeId, (db) => reviseReport(db, change, kept.assets));
}

/** Stores the rows that reference the copied objects, and takes those objects off the removal list. */
async function naming(
  { db }: ReportDeps,
  organizationId: string,
  { assets, prefix }: KeptAssets,
  writeId: string,
  store: (db: OrganizationTransaction) => Promise<Report>,
): Promise<Report> {
  return inOrganization(db, organizationId, async (transaction) => {
    const report = await store(transaction);
    if (prefix !== undefined && (await isNamed(transaction, report, writeId, assets)))
      await keepObject(transaction, organizationId, prefix);
    return report;
  });
}

/** Another attempt of the same write may have been first, with its own objects. */
async function isNamed(
  db: OrganizationTransaction,
  report: Report,
  writeId: string,
  assets: ReportAssets,
): Promise<boolean> {
  const named = await db
    .selectFrom('report_versions')
    .select('assets')
    .where('organization_id', '=', report.organization_id)
    .where('report_id', '=', report.id)
    .where('write_id', '=', writeId)
    .executeTakeFirst();
  const keys = new Set(Object.values((named?.assets ?? {}) as Record<string, string>));
  return Object.values(assets).some((key) => keys.has(key));
}
