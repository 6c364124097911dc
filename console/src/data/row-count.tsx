import { useQuery } from '@tanstack/react-query';
import * as texts from '../texts/index.ts';
import { firstRows } from './first-rows.ts';
import type { Catalog } from './subject.ts';

interface RowCountProps {
  id: string;
  catalog: Catalog;
  /** The newest where it is undefined. */
  version: number | undefined;
}

/** How many rows the version has that is looked at. Of a view nobody knows before it is read. */
export function RowCount({ id, catalog, version }: RowCountProps) {
  // Those of a past version are asked for once: the rows below are of the same page.
  const { data } = useQuery({ ...firstRows(id, catalog, version), enabled: version !== undefined });
  const count = version === undefined ? catalog.rowCount : data?.total;
  return count == null ? null : `${texts.table.counted(count)} · `;
}
