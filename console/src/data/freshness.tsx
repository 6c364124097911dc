import { useQuery } from '@tanstack/react-query';
import * as texts from '../texts/index.ts';
import { gridTableQuery } from './grid-table.ts';

const staleMs = 30_000;

/** Whether what a calculated table holds is still what its statement says. The service tells it of one at a time. */
export function Freshness({ tableId }: { tableId: string }) {
  const { data } = useQuery({ ...gridTableQuery(tableId), staleTime: staleMs });
  return data === undefined ? null : texts.data.states[data.status];
}
