import { Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { IssueLakeCredential } from './issue-lake-credential.tsx';

type Issued = components['schemas']['IssuedLakeCredential'];

const labels = texts.settings.lake;
const queryKey = ['lake-credentials'];

/** Credentials with which DuckDB and other programs read the lake itself. */
export function Lake() {
  const [issued, setIssued] = useState<Issued>();
  return (
    <>
      <Text c="dimmed">{labels.hint}</Text>
      <IssueLakeCredential queryKey={queryKey} onIssued={setIssued} />
      {issued !== undefined && (
        <ShownOnce
          values={[
            [labels.attach, issued.attach.sql],
            [labels.database, issued.database.url],
            [labels.keyId, issued.objects.accessKeyId],
            [labels.key, issued.objects.secretAccessKey],
          ]}
          onClose={() => setIssued(undefined)}
        />
      )}
      <Pages
        queryKey={queryKey}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/lake/credentials', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: labels.columns.name, value: ({ name }) => name },
              { title: labels.columns.status, value: ({ status }) => labels.statuses[status] },
              { title: labels.columns.at, value: ({ createdAt }) => <Time at={createdAt} /> },
              { title: labels.columns.ends, value: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                title: labels.columns.actions,
                value: ({ id, name, status }) =>
                  (status === 'active' || status === 'making') && (
                    <Action
                      destroys
                      confirm={labels.confirm(name)}
                      changes={[queryKey]}
                      does={() =>
                        workspace.delete('/v1/lake/credentials/{credential_id}', {
                          params: { path: { credential_id: id } },
                        })
                      }
                    >
                      {labels.revoke}
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
