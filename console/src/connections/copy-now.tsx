import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { asLongAs } from '../parts/polling.ts';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.connections.datasets;
const everyMs = 2_000;

interface CopyNowProps {
  connectionId: string;
  datasetId: string;
}

/** Takes a copy of a dataset, and says what becomes of it. */
export function CopyNow({ connectionId, datasetId }: CopyNowProps) {
  const queries = useQueryClient();
  const path = { connection_id: connectionId, dataset_id: datasetId };
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () =>
      (
        await workspace.post('/v1/connections/data/{connection_id}/datasets/{dataset_id}/snapshots', {
          params: { path },
        })
      ).data,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['snapshots', datasetId] }),
  });
  const runId = data?.id;
  const { data: run = data, ...looked } = useQuery({
    queryKey: ['snapshot', runId],
    queryFn: async () =>
      (
        await workspace.get('/v1/connections/data/{connection_id}/datasets/{dataset_id}/snapshots/{run_id}', {
          params: { path: { ...path, run_id: runId! } },
        })
      ).data,
    enabled: runId !== undefined,
    refetchInterval: asLongAs(({ finishedAt }) => finishedAt === null, everyMs),
  });
  const isUnderWay = run !== undefined && run.finishedAt === null;
  const isDone = run !== undefined && !isUnderWay;
  const isHeld = run?.status === 'awaiting_confirmation';
  // Shows at once when it was last copied, its table, and whether somebody has to decide.
  useEffect(() => {
    if (!isDone && !isHeld) return;
    void queries.invalidateQueries({ queryKey: ['datasets', connectionId] });
    void queries.invalidateQueries({ queryKey: ['snapshots', datasetId] });
    void queries.invalidateQueries({ queryKey: ['snapshots of', connectionId] });
  }, [isDone, isHeld, queries, connectionId, datasetId]);
  return (
    <>
      <Button disabled={isPending || isUnderWay} onClick={() => mutate()}>
        {labels.take}
      </Button>
      <span role="status">
        {run !== undefined && labels.became(texts.connections.snapshots.statuses[run.status])}
      </span>
      {run?.error != null && (
        <Text span className="fault">
          {run.error.message}
        </Text>
      )}
      {error !== null && <Failure error={error} />}
      {looked.error !== null && <Failure error={looked.error} onRetry={() => void looked.refetch()} />}
    </>
  );
}
