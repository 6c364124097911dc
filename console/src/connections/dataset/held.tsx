import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../clients/typescript/src/index.ts';
import { Action } from '../../parts/action.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';

export type Snapshot = components['schemas']['SnapshotRun'];

const labels = texts.connections.held;
const one = '/v1/connections/data/{connection_id}/datasets/{dataset_id}/snapshots/{run_id}';
const count = (rows: number) => rows.toLocaleString();
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 });

interface HeldProps {
  run: Snapshot;
  onDecided?: () => void;
}

/** A copy that its guard holds back: what it would change, a decision, and what became of it. */
export function Held({ run, onDecided }: HeldProps) {
  const { id, connectionId, datasetId, status } = run;
  const [decision, setDecision] = useState<'confirm' | 'cancel'>();
  const path = { connection_id: connectionId, dataset_id: datasetId, run_id: id };
  const changes = [
    ['snapshots', datasetId],
    ['snapshots of', connectionId],
    ['snapshot', id],
    ['datasets', connectionId],
  ];
  const decide = async (decided: 'confirm' | 'cancel', asked: Promise<unknown>) => {
    await asked;
    setDecision(decided);
    onDecided?.();
  };
  if (decision !== undefined) return <span role="status">{became(decision, run)}</span>;
  if (status !== 'awaiting_confirmation') return null;
  return (
    <>
      <Compared run={run} />
      <Group>
        <Action
          isPrimary
          changes={changes}
          confirm={labels.sure}
          does={() => decide('confirm', workspace.post(`${one}/confirm`, { params: { path } }))}
        >
          {labels.confirm}
        </Action>
        <Action
          changes={changes}
          does={() =>
            decide(
              'cancel',
              workspace.post(`${one}/cancel`, { params: { path, query: { confirm: 'true' } } }),
            )
          }
        >
          {labels.cancel}
        </Action>
      </Group>
    </>
  );
}

/** How many rows there are and would be, and what the guard allows. */
function Compared({ run: { connectionId, datasetId, tableId, rowsCopied } }: HeldProps) {
  const { data: table, isError } = useQuery({
    queryKey: ['held', tableId],
    queryFn: () =>
      workspace.get('/v1/tables/{table_id}/catalog', { params: { path: { table_id: tableId } } }),
  });
  const { data: dataset } = useQuery({
    queryKey: ['datasets', connectionId, 'one', datasetId],
    queryFn: () =>
      workspace.get('/v1/connections/data/{connection_id}/datasets/{dataset_id}', {
        params: { path: { connection_id: connectionId, dataset_id: datasetId } },
      }),
  });
  const before = table === undefined && isError ? null : table?.data.rowCount;
  const ratio = dataset?.data.guard?.maxShrinkRatio;
  return (
    <p>
      {before !== undefined && compared(before, rowsCopied)}{' '}
      {ratio !== undefined && labels.guard(percent.format(ratio))} {labels.undecided}
    </p>
  );
}

/** Without how many rows the table has, where that is not known. */
function compared(before: number | null, now: number): string {
  if (before === null) return labels.copied(count(now));
  return before > now
    ? labels.compared(count(before), count(now), percent.format(1 - now / before))
    : labels.rows(count(now));
}

function became(decision: 'confirm' | 'cancel', { status, rowsCopied, error }: Snapshot): string {
  if (status === 'succeeded') return labels.taken(count(rowsCopied));
  if (status === 'cancelled') return labels.refused;
  if (status === 'failed') return labels.failed(error?.message ?? '');
  return decision === 'confirm' ? labels.taking : labels.refusing;
}
