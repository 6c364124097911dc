import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { AutomationNav } from '../nav.tsx';
import { Definition } from './definition.tsx';
import type { NodeType, Workflow } from './graph.ts';
import { Lifecycle } from './lifecycle.tsx';
import { Running } from './running.tsx';
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
      <h1>{title === '' ? workflow.id : title}</h1>
      <AutomationNav />
      <Lifecycle {...{ workflow, hand }} />
      <Definition {...{ workflow, types, hand, steps: run.data?.steps ?? noSteps }} />
      <Running
        {...{ workflow, run }}
        onChoose={(id) => navigate({ to: '.', search: { run: id }, replace: true, resetScroll: false })}
      />
      <h2>{texts.automation.deliveries.title}</h2>
      <WorkflowDeliveries {...{ workflow, isRunning: run.data?.finishedAt === null }} />
      <h2>{labels.triggers.title}</h2>
      <Triggers {...{ workflow, hand }} />
      <h2>{labels.versions.title}</h2>
      <WorkflowVersions {...{ workflow, hand }} />
    </>
  );
}

const noSteps: never[] = [];
