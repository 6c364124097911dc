import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isWritable } from '../../cadences/cadence.ts';
import { Fetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { contentOf } from './content.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { type Schedule, targetQuery } from './target.tsx';

const labels = texts.automation.schedules;

/** Replaces everything of a schedule but its playbook. */
export function EditSchedule({ schedule }: { schedule: Schedule }) {
  const { id, target, revision } = schedule;
  const queries = useQueryClient();
  const asked = useQuery(targetQuery(target));
  // What is edited stays while the schedule is read anew, and is sent with the revision that it began with.
  const [base, setBase] = useState(schedule);
  const [loads, setLoads] = useState(0);
  // A pause changes the revision, and nothing that is edited.
  const isSame = JSON.stringify(contentOf(base)) === JSON.stringify(contentOf(schedule));
  return (
    <Fetched asked={asked}>
      {({ data: { parameters } }) => (
        <>
          {!isWritable(base.schedule.type) && <p>{labels.legacy}</p>}
          <ScheduleForm
            key={loads}
            {...{ projectId: target.projectId, parameters, label: labels.save }}
            initial={() => contentOf(base)}
            save={async (body) =>
              (
                await workspace.put('/v1/schedules/{schedule_id}', {
                  params: { path: { schedule_id: id } },
                  body: {
                    kind: 'playbook',
                    target: { project_id: target.projectId, playbook_id: target.playbookId },
                    ...body,
                    expected_revision: isSame ? revision : base.revision,
                  },
                })
              ).data
            }
            onRefused={() => queries.invalidateQueries({ queryKey: ['schedule', id] })}
            onSaved={(saved) => {
              setBase(saved);
              queries.setQueryData(['schedule', id], { data: saved });
              void queries.invalidateQueries({ queryKey: ['schedules'] });
            }}
          />
          {!isSame && revision > base.revision && (
            <p>
              <Button
                onClick={() => {
                  setBase(schedule);
                  setLoads(loads + 1);
                }}
              >
                {texts.automation.newest}
              </Button>
            </p>
          )}
        </>
      )}
    </Fetched>
  );
}
