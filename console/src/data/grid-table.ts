import type { components } from '../../../clients/typescript/src/index.ts';
import { asLongAs } from '../parts/polling.ts';
import { workspace } from '../session/login.ts';

export type GridTable = components['schemas']['GridTable'];

const everyMs = 2_000;

export const isBusy = ({ status }: Pick<GridTable, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** Also asked of tables that are not calculated; those of the service are not known there. */
export const gridTableQuery = (tableId: string) => ({
  queryKey: ['grid-table', tableId],
  queryFn: async (): Promise<GridTable> =>
    (await workspace.get('/v1/grid/tables/{table_id}', { params: { path: { table_id: tableId } } })).data,
  refetchInterval: asLongAs<GridTable>(isBusy, everyMs),
});
