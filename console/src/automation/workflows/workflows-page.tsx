import { Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../../parts/list.tsx';
import { OnDemand } from '../../parts/on-demand.tsx';
import { OpensPanel } from '../../parts/opens-panel.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Time } from '../../parts/time.tsx';
import { useProjectId } from '../../project/current.ts';
import { WithProject } from '../../project/with-project.tsx';
import { workspace } from '../../session/login.ts';
import { useMe } from '../../session/me.ts';
import * as texts from '../../texts/index.ts';
import { AutomationNav } from '../nav.tsx';
import type { Workflow } from './graph.ts';
import { NewWorkflow } from './new-workflow.tsx';
import { Orphans } from './orphans.tsx';
import { WorkflowStatus } from './workflow-status.tsx';

const route = getRouteApi('/framed/workflows');
const labels = texts.automation.workflows;

/** One's own workflows, and a new one. */
export function WorkflowsPage() {
  const navigate = route.useNavigate();
  const { data: me } = useMe();
  const projectId = useProjectId();
  return (
    <>
      <PageHead title={labels.title}>
        {projectId !== undefined && (
          <OpensPanel title={labels.new} isPrimary>
            <NewWorkflow
              projectId={projectId}
              onMade={({ id }) => navigate({ to: '/workflows/$workflowId', params: { workflowId: id } })}
            />
          </OpensPanel>
        )}
      </PageHead>
      <AutomationNav />
      <Text c="dimmed">{labels.about}</Text>
      <Pages
        queryKey={['workflows']}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/workflows', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: labels.columns.title,
                value: ({ id, title }) => (
                  <Link to="/workflows/$workflowId" params={{ workflowId: id }}>
                    {title}
                  </Link>
                ),
              },
              { title: labels.columns.status, value: ({ status }) => <WorkflowStatus status={status} /> },
              { title: labels.columns.nodes, value: countNodes, isNumber: true },
              { title: labels.columns.triggers, value: startsInWords },
              { title: labels.columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
            ]}
          />
        )}
      </Pages>
      {me?.data.admin === true && (
        <OnDemand title={labels.orphans.title}>
          <Orphans />
        </OnDemand>
      )}
      <WithProject />
    </>
  );
}

function countNodes({ graph, steps }: Workflow): number {
  const nodes = graph?.['nodes'];
  return Array.isArray(nodes) ? nodes.length : steps.length;
}

const startsInWords = ({ triggers }: Workflow): string =>
  [...new Set(triggers.filter(({ enabled }) => enabled).map(({ type }) => labels.triggers.types[type]))].join(
    ', ',
  );
