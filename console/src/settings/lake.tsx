import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { IssueLakeCredential } from './issue-lake-credential.tsx';
import { ShownOnce } from './shown-once.tsx';

type Issued = components['schemas']['IssuedLakeCredential'];

const told = texts.settings.lake;
const queryKey = ['lake-credentials'];

/** Credentials with which DuckDB and other programs read the lake itself. */
export function Lake() {
  const [issued, setIssued] = useState<Issued>();
  return (
    <>
      <p className="hint">{told.hint}</p>
      <IssueLakeCredential queryKey={queryKey} onIssued={setIssued} />
      {issued !== undefined && (
        <ShownOnce
          values={[
            [told.attach, issued.attach.sql],
            [told.database, issued.database.url],
            [told.keyId, issued.objects.accessKeyId],
            [told.key, issued.objects.secretAccessKey],
          ]}
          onClose={() => setIssued(undefined)}
        />
      )}
      <Pages
        queryKey={queryKey}
        empty={told.empty}
        fetchPage={(page) => workspace.get('/v1/lake/credentials', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={told.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: told.columns.name, value: ({ name }) => name },
              { title: told.columns.status, value: ({ status }) => told.statuses[status] },
              { title: told.columns.at, value: ({ createdAt }) => <Time at={createdAt} /> },
              { title: told.columns.ends, value: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                title: told.columns.actions,
                value: ({ id, name, status }) =>
                  (status === 'active' || status === 'making') && (
                    <Action
                      isPlain
                      confirm={told.confirm(name)}
                      changes={[queryKey]}
                      does={() =>
                        workspace.delete('/v1/lake/credentials/{credential_id}', {
                          params: { path: { credential_id: id } },
                        })
                      }
                    >
                      {told.revoke}
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
