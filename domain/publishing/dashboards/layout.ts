import type { ValidationFault } from '../../../data/errors.ts';
import type { Chart } from '../saved-queries/chart.ts';
import { type Expected, valueFault } from '../saved-queries/parameters.ts';
import type { SavedQuery } from '../saved-queries/saved-queries.ts';

export const gridColumns = 24;

export interface Tile {
  id: string;
  kind: 'query' | 'text';
  /** Of a tile of a query. */
  queryId: string | null;
  title: string;
  /** Markdown, of a tile of text. */
  text: string | null;
  /** Null means the chart of the query. */
  chart: Chart | null;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Filters of the dashboard by parameters of the query. */
  bindings: Record<string, string>;
}

export interface Filter extends Expected {
  name: string;
  label: string;
}

/** Why tiles and filters can't be stored, each fault at its place in the body. */
export function layoutFaults(
  tiles: readonly Tile[],
  filters: readonly Filter[],
  queries: ReadonlyMap<string, SavedQuery>,
): ValidationFault[] {
  const faults: ValidationFault[] = [];
  const refuse = (loc: (string | number)[], msg: string, type = 'value_error') =>
    faults.push({ loc: ['body', ...loc], msg, type });
  const names = new Set<string>();
  for (const [index, filter] of filters.entries()) {
    if (names.has(filter.name)) refuse(['filters', index, 'name'], 'Another filter has the same name.');
    names.add(filter.name);
    const fault = filter.default === null ? undefined : valueFault(filter.type, filter.default);
    if (fault !== undefined)
      refuse(
        ['filters', index, 'default', ...(fault.at === undefined ? [] : [fault.at])],
        fault.msg,
        fault.type,
      );
  }
  const ids = new Set<string>();
  for (const [index, tile] of tiles.entries()) {
    if (ids.has(tile.id)) refuse(['tiles', index, 'id'], 'Another tile has the same id.');
    ids.add(tile.id);
    if (tile.x + tile.width > gridColumns)
      refuse(['tiles', index, 'width'], `The tile ends beyond the ${gridColumns} columns of the grid.`);
    const query = tile.queryId === null ? undefined : queries.get(tile.queryId);
    for (const [parameter, filter] of Object.entries(tile.bindings)) {
      const at = ['tiles', index, 'bindings', parameter];
      if (!names.has(filter)) refuse(at, `The dashboard has no filter ${filter}.`);
      else if (tile.kind === 'text') refuse(at, 'A text has no parameters.');
      else if (query !== undefined && !Object.hasOwn(query.parameters, parameter))
        refuse(at, `The query has no parameter ${parameter}.`);
    }
  }
  return faults;
}
