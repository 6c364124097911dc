import type { Tile } from './resources.ts';

/** A tile as it is written to the service. */
export const tileBody = ({ queryId, ...tile }: Tile) => ({
  ...tile,
  query_id: queryId,
  chart: tile.chart as never,
});
