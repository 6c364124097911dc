import { useQuery } from '@tanstack/react-query';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const staleMs = 30_000;

/** Whether what a calculated table holds is still what its statement says. The service tells it of one at a time. */
export function Freshness({ tableId }: { tableId: string }) {
  const { data } = useQuery({
    queryKey: ['grid-table', tableId],
    queryFn: async () =>
      (await workspace.get('/v1/grid/tables/{table_id}', { params: { path: { table_id: tableId } } })).data,
    staleTime: staleMs,
    meta: { isOptional: true },
  });
  return data === undefined ? null : texts.data.states[data.status];
}
