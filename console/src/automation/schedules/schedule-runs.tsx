import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dayInWords } from '../../cadences/cadence.ts';
import { List } from '../../parts/list.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Status } from '../../parts/status.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { Deliveries } from '../deliveries.tsx';
import { clockTime } from './months.ts';

const { run: columns, runs, noRuns } = texts.automation.schedules;
const labels = texts.automation.deliveries;
const runningMs = 2_000;

interface ScheduleRunsProps {
  scheduleId: string;
  projectId: string;
  isRunning: boolean;
}

/** Every fire of a schedule, the newest first, with what it delivered. */
export function ScheduleRuns({ scheduleId, projectId, isRunning }: ScheduleRunsProps) {
  return (
    <Pages
      queryKey={['schedule-runs', scheduleId]}
      empty={noRuns}
      everyMs={isRunning ? runningMs : undefined}
      fetchPage={(page) =>
        workspace.get('/v1/schedules/{schedule_id}/runs', {
          params: { path: { schedule_id: scheduleId }, query: page },
        })
      }
    >
      {(found) => (
        <List
          label={runs}
          items={found}
          keyOf={({ id }) => id}
          columns={[
            {
              title: columns.time,
              value: ({ localTime }) => `${dayInWords(localTime.slice(0, 10))}, ${clockTime(localTime)}`,
            },
            {
              title: columns.status,
              value: ({ status, reason }) => (
                <>
                  <Status of={status} />
                  {reason !== null && <Text c="dimmed">{reason}</Text>}
                </>
              ),
            },
            {
              title: columns.made,
              value: ({ runId }) =>
                runId !== null && (
                  <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
                    {columns.open}
                  </Link>
                ),
            },
            { title: labels.title, value: ({ id }) => <DeliveriesOfRun {...{ scheduleId, runId: id }} /> },
          ]}
        />
      )}
    </Pages>
  );
}

/** Asked for when they are opened. */
function DeliveriesOfRun({ scheduleId, runId }: { scheduleId: string; runId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{labels.title}</summary>
      {isOpen && (
        <Pages
          queryKey={['schedule-deliveries', runId]}
          empty={labels.none}
          everyMs={runningMs}
          fetchPage={(page) =>
            workspace.get('/v1/schedules/{schedule_id}/runs/{schedule_run_id}/deliveries', {
              params: { path: { schedule_id: scheduleId, schedule_run_id: runId }, query: page },
            })
          }
        >
          {(found) => <Deliveries items={found} />}
        </Pages>
      )}
    </details>
  );
}
