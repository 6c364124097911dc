import { useQuery, useQueryClient } from '@tanstack/react-query';
import { changesOf } from '../../parts/changes.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { DatasetForm } from './dataset-form.tsx';
import { type ConnectionKind, type Dataset, isIncrementable, settingsOf } from './settings.ts';

const labels = texts.connections.dataset;

/** Changes how a dataset is copied. Its resource stays. */
export function EditDataset({ dataset, type }: { dataset: Dataset; type: ConnectionKind }) {
  const { id, connectionId, resource, name } = dataset;
  const path = { connection_id: connectionId };
  const queries = useQueryClient();
  const asked = useQuery({
    queryKey: ['resource', connectionId, resource],
    // By name: of those that begin so it is the first.
    queryFn: async () =>
      (
        await workspace.post('/v1/connections/data/{connection_id}/resources', {
          params: { path },
          body: { prefix: resource, limit: 1 },
        })
      ).items.find((item) => item.resource === resource)?.columns ?? [],
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    enabled: isIncrementable(type) || type === 'http',
  });
  // Asked again after a failure, what was written meanwhile stays.
  if (asked.isFetching && !asked.isFetched) return <Loading />;
  return (
    <>
      {asked.error !== null && <Failure error={asked.error} onRetry={() => void asked.refetch()} />}
      <DatasetForm
        type={type}
        columns={asked.data ?? []}
        label={labels.how(name)}
        initial={() => settingsOf(dataset)}
        submit={labels.save}
        saved={labels.saved}
        save={(body, before) =>
          workspace.patch('/v1/connections/data/{connection_id}/datasets/{dataset_id}', {
            params: { path: { ...path, dataset_id: id } },
            body: changesOf(body, before),
          })
        }
        onSaved={() => queries.invalidateQueries({ queryKey: ['datasets', connectionId] })}
      />
    </>
  );
}
