import type { components } from '../../../../clients/typescript/src/index.ts';
import { Action } from '../../parts/action.tsx';
import { List } from '../../parts/list.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';
import type { DraftInHand } from './use-draft.ts';

const labels = texts.automation.workflows.versions;

/** The versions of a workflow, each with its changes; an older one may be activated again. */
export function WorkflowVersions({ workflow, hand }: { workflow: Workflow; hand: DraftInHand }) {
  const { id, activeVersionId, status } = workflow;
  const path = { workflow_id: id };
  return (
    <Pages
      queryKey={['workflow-versions', id]}
      empty={labels.none}
      fetchPage={(page) =>
        workspace.get('/v1/workflows/{workflow_id}/versions', { params: { path, query: page } })
      }
    >
      {(found) => (
        <List
          label={labels.title}
          items={found}
          keyOf={(version) => version.id}
          columns={[
            { title: labels.columns.number, value: ({ number }) => number },
            { title: labels.columns.made, value: ({ createdAt }) => <Time at={createdAt} /> },
            { title: labels.columns.changes, value: ({ changes }) => inWords(changes) },
            {
              title: labels.columns.activate,
              value: ({ id: versionId, number }) =>
                versionId === activeVersionId && status === 'active'
                  ? labels.current
                  : status !== 'archived' && (
                      <Action
                        confirm={labels.sure(number)}
                        does={async () => {
                          const body = { expected_revision: await hand.settled(), version_id: versionId };
                          const made = await workspace.post('/v1/workflows/{workflow_id}/activation', {
                            params: { path },
                            body,
                          });
                          hand.moved(made.data);
                        }}
                      >
                        {labels.againShort}
                      </Action>
                    ),
            },
          ]}
        />
      )}
    </Pages>
  );
}

function inWords(changes: components['schemas']['WorkflowVersion']['changes']): string {
  const { nodesAdded, nodesRemoved, nodesChanged, edgesAdded, edgesRemoved } = changes;
  const edges = edgesAdded.length + edgesRemoved.length;
  const parts = [
    ...(nodesAdded.length > 0 ? [labels.added(nodesAdded.join(', '))] : []),
    ...(nodesRemoved.length > 0 ? [labels.removed(nodesRemoved.join(', '))] : []),
    ...(nodesChanged.length > 0 ? [labels.changed(nodesChanged.join(', '))] : []),
    ...(edges > 0 ? [labels.edges(edges)] : []),
  ];
  return parts.length === 0 ? labels.same : parts.join('; ');
}
