import { useQuery } from '@tanstack/react-query';
import { tablesWith } from './tables.ts';

/** The name of a table or a view, as far as its reader may see it; else its id. */
export function TableName({ id }: { id: string }) {
  const { data: all = [] } = useQuery(tablesWith([id]));
  return all.find((table) => table.id === id)?.name ?? id;
}
