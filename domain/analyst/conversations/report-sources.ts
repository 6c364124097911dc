import type { ObjectStore } from '../../../data/objects/store.ts';
import type { ResultTable } from '../../../packages/documents/index.ts';
import type { ReportSources } from '../../publishing/reports/assets.ts';
import { type Chart, chartsOfProject } from './charts.ts';
import { readRows, resultsOfProject, type ToolResult } from './results.ts';

/** Maximum rows of a result in a report, and characters of a cell. */
const keptRows = 2_000;
const keptColumns = 100;
const cellCharacters = 2_000;
const resultCharacters = 4_000_000;
/** The charts and results of a project's conversations, for the reports that show them. */
export function conversationSources(objects: Copying): ReportSources {
  return async (db, { organizationId, projectId }, names) => {
    const idsOf = (kind: string) =>
      names.flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []));
    const charts = await chartsOfProject(db, organizationId, projectId, idsOf('chart:'));
    const results = await resultsOfProject(db, organizationId, projectId, idsOf('result:'));
    return [
      ...charts.map((chart) => ({
        name: `chart:${chart.id}`,
        copy: (key: string) => copyChart(objects, chart, key),
      })),
      ...results.map((result) => ({
        name: `result:${result.id}`,
        copy: (key: string) => copyResult(objects, result, key),
      })),
    ];
  };
}

type Copying = Pick<ObjectStore, 'read' | 'put' | 'head' | 'copy'>;

/** Copies the drawing and its document; undefined if the conversation was removed meanwhile. */
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
  const columns = result.columns;
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

/** A cell as readers see it; empty for null. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > cellCharacters ? `${text.slice(0, cellCharacters).toWellFormed()}…` : text;
}
