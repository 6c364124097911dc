import type { ChartDrawer } from '../documents/drawer.ts';
import { rowsOf, type Shown, shownRows } from '../saved-queries/shown.ts';
import type { Dashboard } from './dashboards.ts';
import { type DataDeps, type DataWanted, dashboardData, type TileData, tileError } from './data.ts';
import type { Tile } from './layout.ts';

/** What a reader sees of a tile. */
export interface ShownTile {
  tile: Tile;
  title: string;
  shown: Shown | { kind: 'text'; markdown: string } | { kind: 'fault'; detail: string };
}

/**
 * The tiles of a dashboard with their charts drawn, with the rights of the caller.
 *
 * @throws ValidationError if values of filters are invalid
 */
export async function shownTiles(
  deps: DataDeps & { charts: Pick<ChartDrawer, 'svg'> },
  wanted: Pick<DataWanted, 'dashboard' | 'callerId' | 'filters'>,
  signal: AbortSignal,
): Promise<ShownTile[]> {
  const read = await dashboardData(deps, { ...wanted, rowFormat: 'rows_with_column_order' }, signal);
  return drawnTiles(deps, wanted.dashboard, read.tiles, signal);
}

/** The tiles with what was read for them, rows with their column order. */
export async function drawnTiles(
  deps: { charts: Pick<ChartDrawer, 'svg'> },
  dashboard: Dashboard,
  read: readonly TileData[],
  signal: AbortSignal,
): Promise<ShownTile[]> {
  const dataOf = new Map(read.map((data) => [data.tile.id, data]));
  const tiles: ShownTile[] = [];
  for (const tile of dashboard.tiles) {
    const data = dataOf.get(tile.id);
    const title = tile.title === '' ? (data?.query?.name ?? '') : tile.title;
    const shown =
      data === undefined
        ? { kind: 'text' as const, markdown: tile.text ?? '' }
        : await shownData(deps, dashboard.organization_id, data, signal);
    tiles.push({ tile, title, shown });
  }
  return tiles;
}

async function shownData(
  deps: { charts: Pick<ChartDrawer, 'svg'> },
  organizationId: string,
  data: TileData,
  signal: AbortSignal,
): Promise<ShownTile['shown']> {
  try {
    if ('error' in data) return { kind: 'fault', detail: data.error.detail };
    const chart = data.tile.chart ?? data.query?.chart ?? null;
    const rows = rowsOf(data.result.answer);
    return await shownRows(deps, organizationId, { chart, title: '', rows }, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'fault', detail: tileError(error).detail };
  }
}
