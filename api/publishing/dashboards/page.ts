import type { Dashboard } from '../../../domain/publishing/dashboards/dashboards.ts';
import { tileError } from '../../../domain/publishing/dashboards/data.ts';
import type { Tile } from '../../../domain/publishing/dashboards/layout.ts';
import type { ShownTile } from '../../../domain/publishing/dashboards/shown.ts';
import type { ApiDeps } from '../../deps.ts';
import { Html, html } from '../../pages/html.ts';
import { faultHtml, type PublishedPage, shownHtml } from '../page.ts';

/** A row of the grid, in pixels. */
const rowPixels = 48;

/** A dashboard as a page. */
export async function dashboardPage(
  deps: Pick<ApiDeps, 'reportFormats'>,
  { organization_id: organizationId, name, description }: Dashboard,
  tiles: readonly ShownTile[],
  signal: AbortSignal,
): Promise<PublishedPage> {
  const sections: Html[] = [];
  for (const { title, shown } of tiles) {
    const heading = title === '' ? undefined : html`<h2>${title}</h2>`;
    const content =
      shown.kind === 'text'
        ? await markdownHtml(deps, organizationId, shown.markdown, signal)
        : shown.kind === 'fault'
          ? faultHtml(shown.detail)
          : shownHtml(shown, title);
    sections.push(html`<section class="tile" id="tile-${sections.length}">${heading}${content}</section>`);
  }
  return {
    title: name,
    description,
    body: html`<div class="tiles">${sections}</div>`,
    places: tiles.map(({ tile }, index) => placeOf(tile, index)).join('\n'),
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
  try {
    const made = await deps.reportFormats.format(organizationId, 'html', source, nothing, signal);
    return new Html(made.toString());
  } catch (error) {
    signal.throwIfAborted();
    return faultHtml(tileError(error).detail);
  }
}
