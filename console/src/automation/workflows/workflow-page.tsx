import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { Fetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { Definition } from './definition.tsx';
import type { NodeType, Workflow } from './graph.ts';
import { DraftFailure, DraftState, Lifecycle } from './lifecycle.tsx';
import { Running } from './running.tsx';
import { Settings } from './settings.tsx';
import { Triggers } from './triggers.tsx';
import { useDraft } from './use-draft.ts';
import { useRun } from './use-run.ts';
import { WorkflowDeliveries } from './workflow-deliveries.tsx';
import { WorkflowVersions } from './workflow-versions.tsx';

const route = getRouteApi('/framed/workflows/$workflowId');
const labels = texts.automation.workflows;

/** A workflow: its graph, its runs, and what came of them. */
export function WorkflowPage() {
  const { workflowId } = route.useParams();
  const asked = useQuery({
    queryKey: ['workflow', workflowId],
    queryFn: () =>
      workspace.get('/v1/workflows/{workflow_id}', { params: { path: { workflow_id: workflowId } } }),
  });
  const types = useQuery({
    queryKey: ['node-types'],
    queryFn: () => workspace.get('/v1/workflows/node-types'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Fetched asked={asked}>
      {({ data }) => (
        <Fetched asked={types}>
          {({ items }) => <OneWorkflow key={data.id} workflow={data} types={items} />}
        </Fetched>
      )}
    </Fetched>
  );
}

function OneWorkflow({ workflow, types }: { workflow: Workflow; types: readonly NodeType[] }) {
  const { run: chosenId } = route.useSearch();
  const navigate = route.useNavigate();
  const hand = useDraft(workflow);
  const run = useRun(workflow.id, chosenId);
  const { title } = hand.draft;
  return (
    <>
      <PageHead title={title === '' ? workflow.id : title} facts={<DraftState {...{ workflow, hand }} />}>
        <Lifecycle {...{ workflow, hand }} />
      </PageHead>
      <DraftFailure hand={hand} />
      <PageTabs
        label={title}
        tabs={[
          {
            name: 'graph',
            title: labels.graph,
            isKept: true,
            content: <Definition {...{ workflow, types, hand, steps: run.data?.steps ?? noSteps }} />,
          },
          {
            name: 'runs',
            title: labels.run.runs,
            isKept: true,
            content: (
              <>
                <Running
                  {...{ workflow, run }}
                  onChoose={(id) =>
                    navigate({
                      search: (before) => ({ ...before, run: id }),
                      replace: true,
                      resetScroll: false,
                    })
                  }
                />
                <h2>{texts.automation.deliveries.title}</h2>
                <WorkflowDeliveries {...{ workflow, isRunning: run.data?.finishedAt === null }} />
              </>
            ),
          },
          {
            name: 'triggers',
            title: labels.triggers.title,
            isKept: true,
            content: <Triggers {...{ workflow, hand }} />,
          },
          {
            name: 'versions',
            title: labels.versions.title,
            content: <WorkflowVersions {...{ workflow, hand }} />,
          },
          ...(hand.draft.graph === undefined
            ? []
            : [
                {
                  name: 'settings',
                  title: labels.settings,
                  isKept: true,
                  content: (
                    <Settings key={hand.loads} {...{ hand, isEditable: workflow.status !== 'archived' }} />
                  ),
                },
              ]),
        ]}
      />
    </>
  );
}

const noSteps: never[] = [];
