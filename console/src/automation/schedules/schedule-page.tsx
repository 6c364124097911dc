import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { cadenceInWords } from '../../cadences/cadence.ts';
import { Action } from '../../parts/action.tsx';
import { More } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { Fetched } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import { useMe } from '../../session/me.ts';
import * as texts from '../../texts/index.ts';
import { Backfills } from './backfills.tsx';
import { Calendar } from './calendar.tsx';
import { EditSchedule } from './edit-schedule.tsx';
import { ScheduleRuns } from './schedule-runs.tsx';
import { type Schedule, TargetLink, TargetTitle } from './target.tsx';

const route = getRouteApi('/framed/schedules/$scheduleId');
const labels = texts.automation.schedules;
const runningMs = 2_000;
const idleMs = 30_000;

/** A schedule: when it fires, what came of it, and how to change it. */
export function SchedulePage() {
  const { scheduleId } = route.useParams();
  const asked = useQuery({
    queryKey: ['schedule', scheduleId],
    queryFn: () =>
      workspace.get('/v1/schedules/{schedule_id}', { params: { path: { schedule_id: scheduleId } } }),
    refetchInterval: ({ state }) => (state.data?.data.lastRunStatus === 'running' ? runningMs : idleMs),
  });
  return <Fetched asked={asked}>{({ data }) => <OneSchedule key={data.id} schedule={data} />}</Fetched>;
}

function OneSchedule({ schedule }: { schedule: Schedule }) {
  const { id, description, target, status, pauseReason, nextRunAt, lastRunStatus, lastRunAt } = schedule;
  const isRunning = lastRunStatus === 'running';
  const queries = useQueryClient();
  // Its runs are read a last time once the schedule says that the latest has ended.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they may have changed whenever these did.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['schedule-runs', id] });
  }, [queries, id, lastRunStatus, lastRunAt]);
  return (
    <>
      <PageHead
        title={description === '' ? <TargetTitle target={target} /> : description}
        facts={cadenceInWords(schedule.schedule)}
      >
        <Actions schedule={schedule} />
      </PageHead>
      <dl className="facts-list">
        <dt>{labels.columns.status}</dt>
        <dd>
          <Status of={status} /> {pauseReason !== undefined && labels.pauseReasons[pauseReason]}
        </dd>
        <dt>{labels.fields.playbook}</dt>
        <dd>
          <TargetLink target={target} />
        </dd>
        <dt>{labels.columns.next}</dt>
        <dd>{nextRunAt === null ? '—' : <Time at={nextRunAt} />}</dd>
        <dt>{labels.columns.last}</dt>
        <dd>
          {lastRunStatus === null ? labels.never : <Status of={lastRunStatus} />} <Time at={lastRunAt} />
        </dd>
      </dl>
      <PageTabs
        label={labels.title}
        tabs={[
          { name: 'next', title: labels.next, content: <Calendar schedule={schedule} /> },
          {
            name: 'runs',
            title: labels.runs,
            content: <ScheduleRuns scheduleId={id} projectId={target.projectId} isRunning={isRunning} />,
          },
          { name: 'backfills', title: labels.backfills.title, content: <Backfills scheduleId={id} /> },
          { name: 'edit', title: labels.edit, isKept: true, content: <EditSchedule schedule={schedule} /> },
        ]}
      />
    </>
  );
}

function Actions({ schedule: { id, status, pauseReason } }: { schedule: Schedule }) {
  const { data: me } = useMe();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const params = { path: { schedule_id: id } };
  const changes = [['schedule', id], ['schedule-runs', id], ['occurrences', id], ['schedules']];
  return (
    <>
      <Action
        isPrimary
        changes={changes}
        does={() => workspace.post('/v1/schedules/{schedule_id}/trigger', { params })}
      >
        {labels.trigger}
      </Action>
      {status === 'active' && (
        <Action
          changes={changes}
          does={() => workspace.post('/v1/schedules/{schedule_id}/pause', { params })}
        >
          {labels.pause}
        </Action>
      )}
      {pauseReason === 'maker_removed' && me?.data.admin === true && (
        <Action
          changes={changes}
          does={() => workspace.post('/v1/schedules/{schedule_id}/take-over', { params })}
        >
          {texts.automation.takeOver}
        </Action>
      )}
      {status === 'paused' && (
        <Action
          changes={changes}
          does={() => workspace.post('/v1/schedules/{schedule_id}/resume', { params })}
        >
          {labels.resume}
        </Action>
      )}
      <More>
        <Action
          destroys
          confirm={labels.deleteSure}
          does={async () => {
            await workspace.delete('/v1/schedules/{schedule_id}', { params });
            void queries.invalidateQueries({ queryKey: ['schedules'] });
            await navigate({ to: '/schedules' });
          }}
        >
          {labels.delete}
        </Action>
      </More>
    </>
  );
}
