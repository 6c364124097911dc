import type { Logger } from 'pino';
import { AppError, ValidationError, type ValidationFault } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type { RowFormat } from '../../../packages/row-formats/index.ts';
import { type Query, type QueryDeps, type QueryResult, runTogether } from '../../tables/query/run.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { checkValues, type Values } from '../saved-queries/parameters.ts';
import { type SavedQuery, savedQueriesOf, statementFor } from '../saved-queries/saved-queries.ts';
import type { Dashboard } from './dashboards.ts';
import type { Filter, Tile } from './layout.ts';

/** For one tile, like a query of its own. */
const timeoutMs = 30_000;

export type DataDeps = QueryDeps & { logger: Pick<Logger, 'error'> };

export interface DataWanted {
  dashboard: Dashboard;
  /** Whose rights hold. */
  callerId: string;
  /** Values by filter; others have their defaults. */
  filters: Readonly<Record<string, unknown>>;
  /** All by default. */
  tileIds?: readonly string[] | undefined;
  rowFormat: RowFormat;
  /** The snapshot of the lake that is read; the newest by default. */
  snapshotId?: number;
}

/** What a tile shows: rows, or why there are none. */
export type TileData = { tile: Tile; query: SavedQuery | undefined } & (
  | { id: string; result: QueryResult }
  | { error: TileError }
);

export interface TileError {
  code: string;
  detail: string;
}

/**
 * The rows of the tiles of queries, all from one snapshot of the lake.
 *
 * @throws ValidationError at `["body", "filters", name]` and `["body", "tile_ids", index]`
 */
export async function dashboardData(
  deps: DataDeps,
  { dashboard, callerId, filters, tileIds, rowFormat, snapshotId: asked }: DataWanted,
  signal: AbortSignal,
): Promise<{ snapshotId: number; tiles: TileData[] }> {
  const { organization_id: organizationId, project_id: projectId } = dashboard;
  const values = filterValues(dashboard.filters, filters);
  const wanted = chosenTiles(dashboard.tiles, tileIds).filter(({ kind }) => kind === 'query');
  const queries = await inOrganization(deps.db, organizationId, (db) =>
    savedQueriesOf(
      db,
      organizationId,
      projectId,
      wanted.flatMap(({ queryId }) => queryId ?? []),
    ),
  );
  const tiles: TileData[] = [];
  const statements: { place: number; query: Query }[] = [];
  for (const tile of wanted) {
    const query = queries.get(tile.queryId ?? '');
    try {
      if (query === undefined) throw new AppError('not_found', 'The query of this tile was deleted.');
      const statement = statementFor(query, boundValues(tile, values), ['bindings']);
      const id = newId('qry');
      const { tileRows } = limits.dashboards;
      statements.push({
        place: tiles.length,
        query: {
          ...{ organizationId, callerId, id, ...statement, timeoutMs, rowFormat },
          ...{ limit: tileRows.most, atVersions: {} },
        },
      });
      // Replaced below.
      tiles.push({ tile, query, error: { code: 'internal_error', detail: '' } });
    } catch (error) {
      tiles.push({ tile, query, error: tileError(error) });
    }
  }
  const { snapshotId, results } = await runTogether(
    deps,
    statements.map(({ query }) => query),
    signal,
    asked,
  );
  for (const [index, { place, query }] of statements.entries()) {
    const { tile, query: saved } = tiles[place]!;
    const result = results[index]!;
    if (result.status === 'rejected' && !isExpected(result.reason) && !signal.aborted)
      deps.logger.error({ err: result.reason, dashboardId: dashboard.id }, 'a tile failed');
    tiles[place] =
      result.status === 'fulfilled'
        ? { tile, query: saved, id: query.id, result: result.value }
        : { tile, query: saved, error: tileError(result.reason) };
  }
  return { snapshotId, tiles };
}

/** Values of the filters that have one. */
export function filterValues(filters: readonly Filter[], given: Readonly<Record<string, unknown>>): Values {
  const expected = new Map(filters.map((filter) => [filter.name, filter]));
  return checkValues(expected, given, { at: ['body', 'filters'], what: 'filter', isRequired: false });
}

/** A parameter whose filter has no value has its own default. */
function boundValues({ bindings }: Tile, values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(bindings).flatMap(([parameter, filter]) => {
      const value = values.get(filter);
      return value === undefined ? [] : [[parameter, value]];
    }),
  );
}

function chosenTiles(tiles: readonly Tile[], ids: readonly string[] | undefined): readonly Tile[] {
  if (ids === undefined) return tiles;
  const known = new Set(tiles.map(({ id }) => id));
  const faults = ids.flatMap((id, index): ValidationFault[] =>
    known.has(id)
      ? []
      : [
          {
            loc: ['body', 'tile_ids', index],
            type: 'value_error',
            msg: `The dashboard has no tile ${id}.`,
          },
        ],
  );
  if (faults.length > 0) throw new ValidationError(faults);
  const chosen = new Set(ids);
  return tiles.filter(({ id }) => chosen.has(id));
}

const isExpected = (error: unknown): boolean => error instanceof AppError || error instanceof ValidationError;

/** What readers see of a failure. */
export function tileError(error: unknown): TileError {
  if (error instanceof AppError) return { code: error.code, detail: error.message };
  if (error instanceof ValidationError) {
    const told = error.faults.map(({ loc, msg }) => `Parameter ${loc.slice(1).join('.')}: ${msg}`);
    return { code: 'invalid_request', detail: told.join(' ') };
  }
  return { code: 'internal_error', detail: 'The service has failed. Try again later.' };
}
