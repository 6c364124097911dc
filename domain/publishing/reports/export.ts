import { AppError } from '../../../data/errors.ts';
import { readBytes, readText } from '../../../data/objects/read.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type {
  ExportFormat,
  MailBounds,
  MailPart,
  ReportMaterial,
  ReportReferences,
  ResultTable,
} from '../../../packages/documents/index.ts';
import { findFileByPath } from '../../workspace/files/files.ts';
import { pathFault } from '../../workspace/files/path.ts';
import type { StoreDeps } from '../../workspace/files/store-object.ts';
import { limits } from '../../workspace/limits/limits.ts';
import type { ReportFormatter } from '../documents/formatter.ts';
import type { Report } from './reports.ts';
import type { ReportAssets, ReportVersion } from './versions.ts';

/** Limits for one image, and for all images of a report. */
const maxImageBytes = limits.reports.imageBytes.most;
const maxImagesBytes = limits.reports.imagesBytes.most;
const maxImages = limits.reports.images.most;
const atOnce = 8;

export type ExportDeps = StoreDeps & { reportFormats: ReportFormatter };

/**
 * A revision of a report as a document. Its references are the report's own objects, or files of its project.
 */
export function exportReport(
  deps: ExportDeps,
  report: Report,
  version: ReportVersion,
  format: ExportFormat,
  signal?: AbortSignal,
): Promise<Buffer> {
  const load = (references: ReportReferences) => loadMaterial(deps, report, version.assets, references);
  return deps.reportFormats.format(report.organization_id, format, sourceOf(version), load, signal);
}

/** A revision of a report as a part of a mail. */
export function mailReport(
  deps: ExportDeps,
  report: Report,
  version: ReportVersion,
  bounds: MailBounds,
): Promise<MailPart> {
  const load = (references: ReportReferences) => loadMaterial(deps, report, version.assets, references);
  return deps.reportFormats.mailPart(report.organization_id, sourceOf(version), bounds, load);
}

const sourceOf = ({ title, content, created_at: createdAt }: ReportVersion) => ({
  title,
  markdown: content,
  writtenAt: createdAt.toISOString(),
});

async function loadMaterial(
  deps: StoreDeps,
  report: Report,
  assets: ReportAssets,
  { charts, results, images }: ReportReferences,
): Promise<ReportMaterial> {
  const { objects } = deps;
  const material: ReportMaterial = { charts: {}, results: {}, images: {} };
  const kept = (name: string) => (Object.hasOwn(assets, name) ? assets[name] : undefined);
  const loads = [
    ...charts.map((id) => async () => {
      const key = kept(`chart:${id}`);
      if (key !== undefined) material.charts[id] = await readText(objects, `${key}.svg`);
    }),
    ...results.map((id) => async () => {
      const key = kept(`result:${id}`);
      if (key !== undefined)
        material.results[id] = JSON.parse(await readText(objects, `${key}.json`)) as ResultTable;
    }),
    ...(await filesOf(deps, report, images)).map(({ path, key }) => async () => {
      material.images[path] = await readBytes(objects, key);
    }),
  ];
  for (let from = 0; from < loads.length; from += atOnce)
    await Promise.all(loads.slice(from, from + atOnce).map((load) => load().catch(skipMissing)));
  return material;
}

/** Images from the project's files, as far as a document can hold them. */
async function filesOf(
  { db }: StoreDeps,
  { organization_id: organizationId, project_id: projectId }: Report,
  paths: readonly string[],
): Promise<{ path: string; key: string }[]> {
  const named = paths.slice(0, maxImages).filter((path) => pathFault(path) === undefined);
  if (named.length === 0) return [];
  let leftBytes = maxImagesBytes;
  return inOrganization(db, organizationId, async (transaction) => {
    const found: { path: string; key: string }[] = [];
    for (const path of named) {
      const file = await findFileByPath(transaction, organizationId, projectId, path);
      if (file === undefined || file.size_bytes > Math.min(maxImageBytes, leftBytes)) continue;
      leftBytes -= file.size_bytes;
      found.push({ path, key: file.object_key });
    }
    return found;
  });
}

/** It was removed meanwhile; its text is shown instead. */
function skipMissing(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error;
}
