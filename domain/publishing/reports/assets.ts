import { randomUUID } from 'node:crypto';
import { AppError } from '../../../data/errors.ts';
import { reportPrefix } from '../../../data/objects/keys.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { type Chart, chartsOfProject } from '../../analyst/conversations/charts.ts';
import { readRows, resultsOfProject, type ToolResult } from '../../analyst/conversations/results.ts';
import { deleteObjectLater } from '../../workspace/files/files.ts';
import type { StoreDeps } from '../../workspace/files/store-object.ts';
import type { ResultTable } from '../report-formats/contract.ts';
import type { ReportAssets } from './versions.ts';

/** More than a report can show in a document that somebody reads. */
const maxReferences = 100;
const maxTotalBytes = 33_554_432;
/** Rows of a result in a report, and characters of a cell. */
const keptRows = 2_000;
const keptColumns = 100;
const cellCharacters = 2_000;
const resultCharacters = 4_000_000;
/** Longer than any request takes to store its objects and to name them. */
const unnamedMs = 3_600_000;
const atOnce = 8;

const reference = /\b(?:chart:cht|result:res)_[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])/g;

/** What a report may refer to, in whatever form of Markdown: rather one that is only talked about than one too few. */
function referencesIn(markdown: string): string[] {
  const references = [...new Set(markdown.match(reference))];
  if (references.length <= maxReferences) return references;
  throw new AppError(
    'invalid_request',
    `A report refers to at most ${maxReferences} charts and results, not ${references.length}: split it.`,
  );
}

export interface KeptAssets {
  assets: ReportAssets;
  /** What this write stored anew lies below; whatever names it takes it off the list of objects to remove. */
  prefix: string | undefined;
}

/**
 * Copies what a report refers to, charts and results of the project's conversations, to a place of the report's own, so
 * that it outlives them. What is not there is not kept. Objects are put down for removal before they exist, and each
 * try has keys of its own: a crash leaves nothing behind, and takes nothing away from another try.
 */
export async function keepAssets(
  { db, objects }: StoreDeps,
  { organizationId, projectId, reportId }: { organizationId: string; projectId: string; reportId: string },
  markdown: string,
  known: ReportAssets = {},
): Promise<KeptAssets> {
  const references = referencesIn(markdown);
  const assets: Record<string, string> = {};
  for (const name of references) if (known[name] !== undefined) assets[name] = known[name];
  const wanted = references.filter((name) => assets[name] === undefined);
  if (wanted.length === 0) return { assets, prefix: undefined };
  const idsOf = (kind: string) =>
    wanted.flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []));
  const prefix = `${reportPrefix(organizationId, reportId)}${randomUUID()}/`;
  const found = await inOrganization(db, organizationId, async (transaction) => {
    const charts = await chartsOfProject(transaction, organizationId, projectId, idsOf('chart:'));
    const results = await resultsOfProject(transaction, organizationId, projectId, idsOf('result:'));
    if (charts.length + results.length > 0)
      await deleteObjectLater(transaction, organizationId, prefix, unnamedMs);
    return [
      ...charts.map((chart) => ({
        name: `chart:${chart.id}`,
        keep: (key: string) => copyChart(objects, chart, key),
      })),
      ...results.map((result) => ({
        name: `result:${result.id}`,
        keep: (key: string) => copyResult(objects, result, key),
      })),
    ];
  });
  if (found.length === 0) return { assets, prefix: undefined };
  let totalBytes = 0;
  for (let from = 0; from < found.length; from += atOnce) {
    const kept = found.slice(from, from + atOnce).map(async ({ name, keep }) => {
      const key = `${prefix}${name.replace(':', '/')}`;
      const sizeBytes = await keep(key).catch(missing);
      if (sizeBytes === undefined) return;
      assets[name] = key;
      totalBytes += sizeBytes;
    });
    await Promise.all(kept);
    if (totalBytes > maxTotalBytes)
      throw new AppError(
        'invalid_request',
        'The charts and results that the report refers to are larger than 32 MiB together: refer to fewer.',
      );
  }
  return { assets, prefix };
}

type Copying = Pick<ObjectStore, 'read' | 'put' | 'head' | 'copy'>;

/** The drawing and its document; undefined where its conversation was removed meanwhile. */
async function copyChart(objects: Copying, chart: Chart, key: string): Promise<number | undefined> {
  let sizeBytes = 0;
  for (const form of ['svg', 'json']) {
    const from = `${chart.object_prefix}.${form}`;
    const head = await objects.head(from);
    if (head === undefined || !(await objects.copy(from, `${key}.${form}`, head.etag))) return undefined;
    if (form === 'svg') sizeBytes = head.sizeBytes;
  }
  return sizeBytes;
}

async function copyResult(objects: Copying, result: ToolResult, key: string): Promise<number> {
  const columns = result.columns as unknown as ResultTable['columns'];
  const rows: string[][] = [];
  let characters = 0;
  for (const row of await readRows(objects, result, 0, keptRows)) {
    const cells = row.slice(0, keptColumns).map(cellText);
    for (const cell of cells) characters += cell.length;
    if (characters > resultCharacters) break;
    rows.push(cells);
  }
  const table: ResultTable = {
    title: result.title,
    columns: columns.slice(0, keptColumns),
    columnCount: columns.length,
    rows,
    isCut: result.truncated || rows.length < result.row_count,
  };
  const bytes = Buffer.from(JSON.stringify(table));
  await objects.put(`${key}.json`, bytes, 'application/json');
  return bytes.length;
}

/** As a reader sees it: nothing where there is nothing. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > cellCharacters ? `${text.slice(0, cellCharacters).toWellFormed()}…` : text;
}

function missing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined;
  throw error;
}
