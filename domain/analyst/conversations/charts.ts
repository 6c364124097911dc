import type { Insertable } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import { conversationPrefix } from '../../../data/objects/keys.ts';
import { readBytes, readText } from '../../../data/objects/read.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import type { ChartDrawer } from '../../publishing/documents/drawer.ts';

export type Chart = RecordOf<'charts'>;

const charts = records('charts', { prefix: 'cht', what: 'The chart' });

export function chartPrefix(organizationId: string, conversationId: string, id: string): string {
  return `${conversationPrefix(organizationId, conversationId)}charts/${id}`;
}

/** Stores a chart's Vega-Lite document with its data, and its drawing. */
export async function keepChart(
  objects: Pick<ObjectStore, 'put'>,
  prefix: string,
  { svg, document }: { svg: string; document: unknown },
): Promise<void> {
  await objects.put(`${prefix}.svg`, Buffer.from(svg), 'image/svg+xml');
  await objects.put(`${prefix}.json`, Buffer.from(JSON.stringify(document)), 'application/json');
}

export const readChart = (
  objects: Pick<ObjectStore, 'read'>,
  chart: Pick<Chart, 'object_prefix'>,
  form: 'svg' | 'json',
): Promise<string> => readText(objects, `${chart.object_prefix}.${form}`);

/** The chart as a PNG, drawn on first request. */
export async function readPng(
  objects: Pick<ObjectStore, 'read' | 'put'>,
  charts: Pick<ChartDrawer, 'png'>,
  chart: Pick<Chart, 'organization_id' | 'object_prefix'>,
  signal?: AbortSignal,
): Promise<Buffer> {
  const key = `${chart.object_prefix}.png`;
  const kept = await readBytes(objects, key).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (kept !== undefined) return kept;
  const png = await charts.png(chart.organization_id, await readChart(objects, chart, 'svg'), signal);
  await objects.put(key, png, 'image/png');
  return png;
}

export function insertChart(db: OrganizationTransaction, row: Insertable<DB['charts']>): Promise<Chart> {
  return charts.insert(db, row);
}

export async function getChart(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
  id: string,
): Promise<Chart> {
  const row = await charts.get(db, organizationId, id);
  if (row.conversation_id !== conversationId) throw notFound('The chart');
  return row;
}

/** Charts of any conversation of a project, by their ids. */
export function chartsOfProject(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  ids: readonly string[],
): Promise<Chart[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('charts')
    .innerJoin('conversations', (join) =>
      join
        .onRef('conversations.organization_id', '=', 'charts.organization_id')
        .onRef('conversations.id', '=', 'charts.conversation_id'),
    )
    .selectAll('charts')
    .where('charts.organization_id', '=', organizationId)
    .where('charts.id', 'in', ids)
    .where('conversations.project_id', '=', projectId)
    .where('conversations.deleted_at', 'is', null)
    .execute();
}
