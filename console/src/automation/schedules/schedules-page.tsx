import { Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { cadenceInWords } from '../../cadences/cadence.ts';
import { List } from '../../parts/list.tsx';
import { OpensPanel } from '../../parts/opens-panel.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { useProjectId } from '../../project/current.ts';
import { WithProject } from '../../project/with-project.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { AutomationNav } from '../nav.tsx';
import { NewSchedule } from './new-schedule.tsx';
import { TargetTitle } from './target.tsx';

const route = getRouteApi('/framed/schedules');
const labels = texts.automation.schedules;

/** Everything that runs by the clock, and something new that does. */
export function SchedulesPage() {
  const { playbook } = route.useSearch();
  const projectId = useProjectId();
  return (
    <>
      <PageHead title={labels.title}>
        {projectId !== undefined && (
          <OpensPanel
            key={`${projectId} ${playbook}`}
            title={labels.new}
            isPrimary
            isOpenFirst={playbook !== undefined}
          >
            <NewSchedule {...{ projectId, playbookId: playbook }} />
          </OpensPanel>
        )}
      </PageHead>
      <AutomationNav />
      <Text c="dimmed">{labels.about}</Text>
      <Pages
        queryKey={['schedules']}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/schedules', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: labels.columns.what,
                value: ({ id, description, target }) => (
                  <Link to="/schedules/$scheduleId" params={{ scheduleId: id }}>
                    {description === '' ? <TargetTitle target={target} /> : description}
                  </Link>
                ),
              },
              { title: labels.columns.cadence, value: ({ schedule }) => cadenceInWords(schedule) },
              { title: labels.columns.next, value: ({ nextRunAt }) => <Time at={nextRunAt} /> },
              {
                title: labels.columns.last,
                value: ({ lastRunStatus }) =>
                  lastRunStatus === null ? labels.never : <Status of={lastRunStatus} />,
              },
              { title: labels.columns.status, value: ({ status }) => <Status of={status} /> },
            ]}
          />
        )}
      </Pages>
      <WithProject />
    </>
  );
}
