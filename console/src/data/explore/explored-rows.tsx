import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { query } from '../../../../clients/typescript/src/index.ts';
import { GridFrame } from '../../parts/grid-frame.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Exploration, ExploredColumn } from './exploration.ts';

interface ExploredRowsProps {
  id: string;
  /** Of the table; undefined for the newest. */
  version: number | undefined;
  statement: string;
  chosen: Exploration;
  head: (column: ExploredColumn) => ReactNode;
}

const mostRows = 1_000;

/** Rows of a statement that was made by clicking. */
export const exploredRows = ({
  id,
  version,
  statement,
}: Pick<ExploredRowsProps, 'id' | 'version' | 'statement'>) => ({
  queryKey: ['explored', id, version, statement],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const atVersions = version === undefined ? {} : { atVersions: { [id]: version } };
    const rowFormat = 'rows_with_column_order' as const;
    const answer = await query(workspace, {
      sql: statement,
      limit: mostRows,
      rowFormat,
      ...atVersions,
      signal,
    });
    const rows = answer.rows_with_column_order ?? [];
    return {
      columns: answer.columns,
      rows: rows.map((row) => row.map(({ value }) => value)),
      isCut: answer.truncated,
    };
  },
  gcTime: 60_000,
});

export function ExploredRows({ chosen, head, ...asked }: ExploredRowsProps) {
  const { data, error, refetch } = useQuery(exploredRows(asked));
  if (data === undefined)
    return error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />;
  const { columns, rows, isCut } = data;
  const sortOf = (at: number) => {
    const by = chosen.sort.find(({ column }) => column === columns[at]?.name);
    return by === undefined ? undefined : by.isDescending ? ('descending' as const) : ('ascending' as const);
  };
  return (
    <>
      <GridFrame
        label={texts.table.rows}
        columns={columns}
        count={rows.length}
        rowAt={(index) => rows[index]}
        head={head}
        sortOf={sortOf}
      />
      <Text c="dimmed" role="status">
        {rows.length === 0
          ? texts.explore.none
          : isCut
            ? texts.explore.cut(rows.length)
            : texts.explore.found(rows.length)}
      </Text>
    </>
  );
}
