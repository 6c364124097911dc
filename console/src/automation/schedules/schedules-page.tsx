import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../../parts/list.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { WithProject } from '../../project/with-project.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { AutomationNav } from '../nav.tsx';
import { cadenceInWords } from './cadence.ts';
import { NewSchedule } from './new-schedule.tsx';
import { TargetTitle } from './target.tsx';

const route = getRouteApi('/framed/schedules');
const told = texts.automation.schedules;

/** Everything that runs by the clock, and something new that does. */
export function SchedulesPage() {
  const { playbook } = route.useSearch();
  return (
    <>
      <h1>{told.title}</h1>
      <AutomationNav />
      <p className="hint">{told.about}</p>
      <Pages
        queryKey={['schedules']}
        empty={told.empty}
        fetchPage={(page) => workspace.get('/v1/schedules', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={told.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: told.columns.what,
                value: ({ id, description, target }) => (
                  <Link to="/schedules/$scheduleId" params={{ scheduleId: id }}>
                    {description === '' ? <TargetTitle target={target} /> : description}
                  </Link>
                ),
              },
              { title: told.columns.cadence, value: ({ schedule }) => cadenceInWords(schedule) },
              { title: told.columns.next, value: ({ nextRunAt }) => <Time at={nextRunAt} /> },
              {
                title: told.columns.last,
                value: ({ lastRunStatus }) =>
                  lastRunStatus === null ? told.never : <Status of={lastRunStatus} />,
              },
              { title: told.columns.status, value: ({ status }) => <Status of={status} /> },
            ]}
          />
        )}
      </Pages>
      <WithProject>
        {(projectId) => (
          <NewSchedule key={`${projectId} ${playbook}`} {...{ projectId, playbookId: playbook }} />
        )}
      </WithProject>
    </>
  );
}
