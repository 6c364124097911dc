import type { DataWanted } from '../../../domain/publishing/dashboards/data.ts';
import { dashboardData, tileError } from '../../../domain/publishing/dashboards/data.ts';
import type { Tile } from '../../../domain/publishing/dashboards/layout.ts';
import { rowsOf, shownRows } from '../../../domain/publishing/saved-queries/shown.ts';
import type { ApiDeps } from '../../deps.ts';
import { Html, html } from '../../pages/html.ts';
import { faultHtml, type PublishedPage, shownHtml } from '../page.ts';

/** A row of the grid, in pixels. */
const rowPixels = 48;

/** A dashboard as a page, with the rights of the caller. */
export async function dashboardPage(
  deps: ApiDeps,
  wanted: Pick<DataWanted, 'dashboard' | 'callerId' | 'filters'>,
  signal: AbortSignal,
): Promise<PublishedPage> {
  const { dashboard } = wanted;
  const { organization_id: organizationId, name, description, tiles } = dashboard;
  const read = await dashboardData(deps, { ...wanted, rowFormat: 'rows_with_column_order' }, signal);
  const dataOf = new Map(read.tiles.map((data) => [data.tile.id, data]));
  const shown: Html[] = [];
  for (const tile of tiles) {
    const data = dataOf.get(tile.id);
    const title = tile.title === '' && tile.kind === 'query' ? (data?.query?.name ?? '') : tile.title;
    let content: Html;
    try {
      if (tile.kind === 'text') content = await markdownHtml(deps, organizationId, tile.text ?? '', signal);
      else if (data === undefined || 'error' in data) content = faultHtml(data?.error.detail ?? '');
      else {
        const chart = tile.chart ?? data.query?.chart ?? null;
        const rows = rowsOf(data.result.answer);
        content = shownHtml(await shownRows(deps, organizationId, { chart, title: '', rows }, signal), title);
      }
    } catch (error) {
      signal.throwIfAborted();
      content = faultHtml(tileError(error).detail);
    }
    const heading = title === '' ? undefined : html`<h2>${title}</h2>`;
    shown.push(html`<section class="tile" id="tile-${shown.length}">${heading}${content}</section>`);
  }
  return {
    title: name,
    description,
    body: html`<div class="tiles">${shown}</div>`,
    places: tiles.map(placeOf).join('\n'),
  };
}

/** Numbers alone, which are checked when they are stored. */
const placeOf = ({ x, y, width, height }: Tile, index: number): string =>
  `#tile-${index}{grid-column:${x + 1}/span ${width};grid-row:${y + 1}/span ${height};min-height:${height * rowPixels}px}`;

async function markdownHtml(
  deps: Pick<ApiDeps, 'reportFormats'>,
  organizationId: string,
  markdown: string,
  signal: AbortSignal,
): Promise<Html> {
  const source = { title: '', markdown, writtenAt: new Date().toISOString() };
  const nothing = async () => ({ charts: {}, results: {}, images: {} });
  const made = await deps.reportFormats.format(organizationId, 'html', source, nothing, signal);
  return new Html(made.toString());
}
