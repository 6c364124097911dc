import type { components } from '../../../../clients/typescript/src/index.ts';
import { Action } from '../../parts/action.tsx';
import { List } from '../../parts/list.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';
import type { DraftInHand } from './use-draft.ts';

const told = texts.automation.workflows.versions;

/** The versions of a workflow, each with its changes; an older one may be activated again. */
export function WorkflowVersions({ workflow, hand }: { workflow: Workflow; hand: DraftInHand }) {
  const { id, activeVersionId, status } = workflow;
  const path = { workflow_id: id };
  return (
    <Pages
      queryKey={['workflow-versions', id]}
      empty={told.none}
      fetchPage={(page) =>
        workspace.get('/v1/workflows/{workflow_id}/versions', { params: { path, query: page } })
      }
    >
      {(found) => (
        <List
          label={told.title}
          items={found}
          keyOf={(version) => version.id}
          columns={[
            { title: told.columns.number, value: ({ number }) => number },
            { title: told.columns.made, value: ({ createdAt }) => <Time at={createdAt} /> },
            { title: told.columns.changes, value: ({ changes }) => inWords(changes) },
            {
              title: told.columns.activate,
              value: ({ id: versionId, number }) =>
                versionId === activeVersionId && status === 'active'
                  ? told.current
                  : status !== 'archived' && (
                      <Action
                        isPlain
                        confirm={told.sure(number)}
                        does={async () => {
                          const body = { expected_revision: await hand.settled(), version_id: versionId };
                          const made = await workspace.post('/v1/workflows/{workflow_id}/activation', {
                            params: { path },
                            body,
                          });
                          hand.moved(made.data);
                        }}
                      >
                        {told.againShort}
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
    ...(nodesAdded.length > 0 ? [told.added(nodesAdded.join(', '))] : []),
    ...(nodesRemoved.length > 0 ? [told.removed(nodesRemoved.join(', '))] : []),
    ...(nodesChanged.length > 0 ? [told.changed(nodesChanged.join(', '))] : []),
    ...(edges > 0 ? [told.edges(edges)] : []),
  ];
  return parts.length === 0 ? told.same : parts.join('; ');
}
