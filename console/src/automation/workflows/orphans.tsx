import { Action } from '../../parts/action.tsx';
import { List } from '../../parts/list.tsx';
import { Pages } from '../../parts/pages.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { WorkflowStatus } from './workflow-status.tsx';

const labels = texts.automation.workflows;
const queryKey = ['workflows', 'gone'];

/** Workflows whose owner is gone, for administrators: each belongs to whoever takes it over. */
export function Orphans() {
  return (
    <Pages
      queryKey={queryKey}
      empty={labels.orphans.empty}
      fetchPage={(page) => workspace.get('/v1/workflows', { params: { query: { ...page, owner: 'gone' } } })}
    >
      {(found) => (
        <List
          label={labels.orphans.title}
          items={found}
          keyOf={({ id }) => id}
          columns={[
            { title: labels.columns.title, value: ({ title }) => title },
            { title: labels.columns.status, value: ({ status }) => <WorkflowStatus status={status} /> },
            {
              title: labels.orphans.change,
              value: ({ id }) => (
                <Action
                  changes={[['workflows']]}
                  does={() =>
                    workspace.post('/v1/workflows/{workflow_id}/take-over', {
                      params: { path: { workflow_id: id } },
                    })
                  }
                >
                  {texts.automation.takeOver}
                </Action>
              ),
            },
          ]}
        />
      )}
    </Pages>
  );
}
