import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { AuditFilter, type Filter } from './audit-filter.tsx';

type AuditEvent = components['schemas']['AuditEvent'];

const labels = texts.settings.audit;

/** What was done and refused in the organization, newest first. */
export function Audit() {
  const [filter, setFilter] = useState<Filter>({});
  return (
    <>
      <AuditFilter onFilter={setFilter} />
      <Pages
        queryKey={['audit', filter]}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/audit-events', { params: { query: { ...filter, ...page } } })}
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: labels.columns.at, value: ({ at }) => <Time at={at} /> },
              { title: labels.columns.actor, value: ({ actor }) => <Actor actor={actor} /> },
              { title: labels.columns.action, value: (event) => <Done event={event} /> },
              {
                title: labels.columns.resource,
                value: ({ resource: { type, id, name } }) => (
                  <>
                    {name ?? type} {id !== null && <code>{id}</code>}
                  </>
                ),
              },
              { title: labels.columns.outcome, value: ({ outcome }) => labels.outcomes[outcome] },
              { title: labels.columns.from, value: ({ address }) => address },
            ]}
          />
        )}
      </Pages>
    </>
  );
}

function Actor({ actor: { type, id, name } }: Pick<AuditEvent, 'actor'>) {
  if (type === 'system') return labels.system;
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
          <summary>{labels.detail}</summary>
          <pre>{JSON.stringify(detail, null, 2)}</pre>
        </details>
      )}
    </>
  );
}
