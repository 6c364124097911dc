import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { AuditFilter, type Filter } from './audit-filter.tsx';

type AuditEvent = components['schemas']['AuditEvent'];

const told = texts.settings.audit;

/** What was done and refused in the organization, newest first. */
export function Audit() {
  const [filter, setFilter] = useState<Filter>({});
  return (
    <>
      <AuditFilter onFilter={setFilter} />
      <Pages
        queryKey={['audit', filter]}
        empty={told.empty}
        fetchPage={(page) => workspace.get('/v1/audit-events', { params: { query: { ...filter, ...page } } })}
      >
        {(found) => (
          <List
            label={told.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: told.columns.at, value: ({ at }) => <Time at={at} /> },
              { title: told.columns.actor, value: ({ actor }) => <Actor actor={actor} /> },
              { title: told.columns.action, value: (event) => <Done event={event} /> },
              {
                title: told.columns.resource,
                value: ({ resource: { type, id, name } }) => (
                  <>
                    {name ?? type} {id !== null && <code>{id}</code>}
                  </>
                ),
              },
              { title: told.columns.outcome, value: ({ outcome }) => told.outcomes[outcome] },
              { title: told.columns.from, value: ({ address }) => address },
            ]}
          />
        )}
      </Pages>
    </>
  );
}

function Actor({ actor: { type, id, name } }: Pick<AuditEvent, 'actor'>) {
  if (type === 'system') return told.system;
  return (
    <>
      {name} <code>{id}</code>
    </>
  );
}

function Done({ event: { action, detail } }: { event: AuditEvent }) {
  return (
    <>
      {action}
      {detail !== null && (
        <details>
          <summary>{told.detail}</summary>
          <pre>{JSON.stringify(detail, null, 2)}</pre>
        </details>
      )}
    </>
  );
}
