import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { useProjectId } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const told = texts.connections.resources;

/** What a source has, and how to have it copied. */
export function Resources({ connectionId }: { connectionId: string }) {
  const path = { connection_id: connectionId };
  const projectId = useProjectId();
  const [prefix, setPrefix] = useState('');
  return (
    <>
      <label htmlFor="prefix">{told.prefix}</label>
      <input id="prefix" type="search" value={prefix} onChange={({ target }) => setPrefix(target.value)} />
      <Pages
        queryKey={['resources', connectionId, prefix]}
        empty={told.empty}
        fetchPage={(page) =>
          workspace.post('/v1/connections/data/{connection_id}/resources', {
            params: { path },
            body: { prefix, ...page },
          })
        }
      >
        {(found) => (
          <List
            label={told.title}
            items={found}
            keyOf={({ resource }) => resource}
            columns={[
              { title: told.columns.name, value: ({ resource }) => resource },
              { title: told.columns.kind, value: ({ kind }) => kind },
              {
                title: told.columns.rows,
                value: ({ estimatedRows }) => estimatedRows?.toLocaleString('en'),
                isNumber: true,
              },
              {
                title: told.columns.columns,
                value: ({ columns, error }) =>
                  error ?? columns.map(({ name, dataType }) => `${name} ${dataType}`).join(', '),
              },
              {
                title: told.columns.what,
                value: ({ resource, name }) => (
                  <Action
                    isPlain
                    changes={[['datasets', connectionId]]}
                    does={() =>
                      workspace.post('/v1/connections/data/{connection_id}/datasets', {
                        params: { path },
                        body: { resource, name, snapshot_enabled: true, project_id: projectId ?? null },
                      })
                    }
                  >
                    {told.copy}
                  </Action>
                ),
              },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
