import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { some } from '../../../clients/typescript/src/index.ts';
import { Input } from '../parts/input.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Unfetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { CopyResource } from './copy-resource.tsx';
import { NewDataset } from './dataset/new-dataset.tsx';
import type { ConnectionKind, Resource } from './dataset/settings.ts';

const labels = texts.connections.resources;
/** Of more it is not known here whether they are copied already. */
const maxDatasets = 1_000;

/** The part that is about to be filled in. */
const focus = (heading: HTMLElement | null) => heading?.focus();

/** What a source has, and how to have it copied. */
export function Resources({ connectionId, type }: { connectionId: string; type: ConnectionKind }) {
  const path = { connection_id: connectionId };
  const asked = useQuery({
    queryKey: ['datasets', connectionId, 'all'],
    queryFn: () =>
      some(maxDatasets, (page) =>
        workspace.get('/v1/connections/data/{connection_id}/datasets', { params: { path, query: page } }),
      ),
  });
  // Read here: what the list below alone reads would not draw it anew.
  const { data: datasets, error } = asked;
  const [prefix, setPrefix] = useState('');
  const [chosen, setChosen] = useState<Resource>();
  return (
    <>
      {chosen !== undefined && (
        <section className="asks">
          <h2 ref={focus} tabIndex={-1}>
            {texts.connections.dataset.how(chosen.resource)}
          </h2>
          <NewDataset {...{ connectionId, type }} resource={chosen} onEnd={() => setChosen(undefined)} />
        </section>
      )}
      <label htmlFor="prefix">{labels.prefix}</label>
      <Input id="prefix" type="search" value={prefix} onChange={({ target }) => setPrefix(target.value)} />
      {error !== null && <Unfetched asked={asked} />}
      <Pages
        queryKey={['resources', connectionId, prefix]}
        empty={labels.empty}
        fetchPage={(page) =>
          workspace.post('/v1/connections/data/{connection_id}/resources', {
            params: { path },
            body: { prefix, ...page },
          })
        }
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ resource }) => resource}
            columns={[
              { title: labels.columns.name, value: ({ resource }) => resource },
              { title: labels.columns.kind, value: ({ kind }) => kind },
              {
                title: labels.columns.rows,
                value: ({ estimatedRows }) => estimatedRows?.toLocaleString(),
                isNumber: true,
              },
              {
                title: labels.columns.columns,
                value: ({ columns, error }) =>
                  error ?? columns.map(({ name, dataType }) => `${name} ${dataType}`).join(', '),
              },
              {
                title: labels.columns.what,
                // What is copied already is not known before.
                value: (found) =>
                  datasets !== undefined && (
                    <CopyResource
                      {...{ connectionId, resource: found }}
                      datasetId={datasets.find(({ resource }) => resource === found.resource)?.id}
                      isChoosing={chosen !== undefined}
                      onChoose={() => setChosen(found)}
                    />
                  ),
              },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
