import { Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { Action } from '../parts/action.tsx';
import { hasEnded } from '../parts/run.ts';
import { Unfetched } from '../parts/states.tsx';
import { type Signal, Signaled } from '../parts/status.tsx';
import { useGone } from '../parts/use-gone.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { type GridTable, isBusy } from './grid-table.ts';

const labels = texts.table.statement;
const everyMs = 1_000;
const signals: Record<GridTable['status'], Signal> = {
  ...{ unmaterialized: 'neutral', queued: 'waiting', running: 'running' },
  ...{ fresh: 'good', stale: 'warning', failed: 'bad' },
};

/** Whether what was built is still what its statement says, and how it is built. */
export function Calculated({ table }: { table: GridTable }) {
  const { tableId, status } = table;
  const queries = useQueryClient();
  const isBuilding = isBusy(table);
  const renew = useCallback(async () => {
    void queries.invalidateQueries({ queryKey: ['builds', tableId] });
    await queries.invalidateQueries({ queryKey: ['catalog', tableId] });
    await queries.resetQueries({ queryKey: ['rows', tableId] });
  }, [queries, tableId]);
  const wasBuilding = useRef(false);
  useEffect(() => {
    // What somebody else had built is read anew too.
    if (wasBuilding.current && !isBuilding) void renew();
    wasBuilding.current = isBuilding;
  }, [renew, isBuilding]);
  const isGone = useGone();
  const build = async () => {
    const path = { table_id: tableId };
    let { data: run } = await workspace.post('/v1/grid/tables/{table_id}/materialize', { params: { path } });
    await queries.invalidateQueries({ queryKey: ['grid-table', tableId] });
    while (!hasEnded(run) && !isGone.current) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      const params = { path: { ...path, run_id: run.id } };
      run = (await workspace.get('/v1/grid/tables/{table_id}/runs/{run_id}', { params })).data;
    }
    await renew();
  };
  return (
    <>
      <Group>
        <span role="status">
          <Signaled as={signals[status]}>{labels.states[status]}</Signaled>
        </span>
        <Action isDisabled={isBuilding} changes={[['grid-table', tableId]]} does={build}>
          {labels.build}
        </Action>
      </Group>
      {(status === 'stale' || status === 'failed') && <Why table={table} />}
    </>
  );
}

/** What changed since, or what the last build failed of. */
function Why({ table: { tableId, status, revision, updatedAt } }: { table: GridTable }) {
  const asked = useQuery({
    queryKey: ['grid-status', tableId, status, revision, updatedAt],
    queryFn: async () =>
      (
        await workspace.get('/v1/grid/tables/{table_id}/status', {
          params: { path: { table_id: tableId } },
        })
      ).data,
  });
  const { data } = asked;
  if (data === undefined) return <Unfetched asked={asked} />;
  const nameOf = (id: string) => data.inputs.find((input) => input.tableId === id)?.name ?? id;
  const changed = data.staleBecause.map((id) => (id === 'definition' ? labels.definition : nameOf(id)));
  return (
    <>
      {changed.length > 0 && <p>{labels.changed(changed.join(', '))}</p>}
      {status === 'failed' && data.error !== null && <p>{data.error.message}</p>}
    </>
  );
}
