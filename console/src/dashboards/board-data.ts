import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { tablesQuery } from '../data/tables.ts';
import { type Typed, typedValues } from '../saved/parameter.ts';
import type { Dashboard } from '../saved/resources.ts';
import { workspace } from '../session/login.ts';

export type TileData = components['schemas']['DashboardData']['tiles'][number];

/** The rows of all tiles, from one snapshot of the data. */
export interface BoardData {
  snapshot: number;
  readAt: string;
  tiles: ReadonlyMap<string, TileData>;
  /** When each table had changed last before it was read. */
  before: Readonly<Record<string, string>>;
}

const lookEveryMs = 15_000;

/** What the tiles show, read again without a word when a table that they read has changed. */
export function useBoardData(dashboard: Dashboard, typed: Typed) {
  const { id, projectId, revision, filters } = dashboard;
  const values = typedValues(Object.fromEntries(filters.map((filter) => [filter.name, filter])), typed);
  const asked = useQuery({
    queryKey: ['dashboard data', id, revision, values],
    queryFn: async ({ signal }): Promise<BoardData> => {
      const tables = await tablesQuery.queryFn();
      const { data } = await workspace.post('/v1/projects/{project_id}/dashboards/{dashboard_id}/data', {
        params: { path: { project_id: projectId, dashboard_id: id } },
        body: { filters: values },
        signal,
      });
      return {
        snapshot: data.snapshot,
        readAt: new Date().toISOString(),
        tiles: new Map(data.tiles.map((tile) => [tile.tileId, tile])),
        before: Object.fromEntries(tables.map(({ id: table, updatedAt }) => [table, updatedAt])),
      };
    },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    // What was there stays until there is something newer.
    placeholderData: (previous, query) => (query?.queryKey[1] === id ? previous : undefined),
    structuralSharing: false,
  });
  const { data: tables } = useQuery({ ...tablesQuery, refetchInterval: lookEveryMs });
  const { data, isFetching, isError, refetch } = asked;
  const isOld =
    data !== undefined &&
    (tables ?? []).some(
      ({ id: table, updatedAt }) => reads(data, table) && isAfter(updatedAt, data.before[table]),
    );
  useEffect(() => {
    if (isOld && !isFetching && !isError) void refetch();
  }, [isOld, isFetching, isError, refetch]);
  return asked;
}

const reads = ({ tiles }: BoardData, table: string): boolean =>
  [...tiles.values()].some(
    ({ execution }) => execution?.scanned.tables.some(({ tableId }) => tableId === table) === true,
  );

const isAfter = (one: string, other: string | undefined): boolean =>
  other !== undefined && Date.parse(one) > Date.parse(other);
