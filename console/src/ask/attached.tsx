import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isView } from '../data/subject.ts';
import { tablesQuery } from '../data/tables.ts';
import { Action } from '../parts/action.tsx';
import { Select } from '../parts/input.tsx';
import { Fetched } from '../parts/states.tsx';
import { attachedQuery } from '../project/attached.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.ask.attach;

/** The tables and views that the analyst of a project sees. */
export function Attached({ projectId }: { projectId: string }) {
  const path = { project_id: projectId };
  const query = attachedQuery(projectId);
  const asked = useQuery(query);
  return (
    <details>
      <summary>{labels.title}</summary>
      <Fetched asked={asked}>
        {(items) => (
          <>
            {items.length === 0 && <p>{labels.none}</p>}
            <ul className="plain">
              {items.map(({ id, name, tableId, viewId }) => (
                <li key={id}>
                  <Link to="/tables/$tableId" params={{ tableId: tableId ?? viewId! }}>
                    {name}
                  </Link>{' '}
                  <Action
                    changes={[query.queryKey]}
                    does={() =>
                      workspace.delete('/v1/projects/{project_id}/catalog-entries/{entry_id}', {
                        params: { path: { ...path, entry_id: id } },
                      })
                    }
                  >
                    {labels.remove}
                  </Action>
                </li>
              ))}
            </ul>
            <Attach
              projectId={projectId}
              attached={new Set(items.map(({ tableId, viewId }) => tableId ?? viewId!))}
            />
          </>
        )}
      </Fetched>
    </details>
  );
}

function Attach({ projectId, attached }: { projectId: string; attached: ReadonlySet<string> }) {
  const [chosen, choose] = useState('');
  const asked = useQuery(tablesQuery);
  return (
    <Fetched asked={asked}>
      {(all) => (
        <Group>
          <Select label={labels.choose} value={chosen} onChange={({ target }) => choose(target.value)}>
            <option value="" />
            {all
              .filter(({ id, kind }) => kind !== 'system' && !attached.has(id))
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </Select>
          <Action
            isPrimary
            isDisabled={chosen === ''}
            changes={[['attached', projectId]]}
            does={async () => {
              await workspace.post('/v1/projects/{project_id}/catalog-entries', {
                params: { path: { project_id: projectId } },
                body: isView(chosen) ? { view_id: chosen } : { table_id: chosen },
              });
              choose('');
            }}
          >
            {labels.add}
          </Action>
        </Group>
      )}
    </Fetched>
  );
}
