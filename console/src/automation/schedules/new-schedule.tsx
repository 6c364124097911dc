import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { items } from '../../../../clients/typescript/src/index.ts';
import { Select } from '../../parts/input.tsx';
import { Fetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { newSchedule } from './content.ts';
import { ScheduleForm } from './schedule-form.tsx';

const labels = texts.automation.schedules;
const maxPlaybooks = 500;

interface NewScheduleProps {
  projectId: string;
  /** The playbook that is chosen already. */
  playbookId: string | undefined;
}

/** A new schedule of one of the project's playbooks. */
export function NewSchedule({ projectId, playbookId }: NewScheduleProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [chosenId, setChosenId] = useState(playbookId);
  const asked = useQuery({
    queryKey: ['all-playbooks', projectId],
    queryFn: async () => {
      const found = [];
      for await (const playbook of items((cursor) =>
        workspace.get('/v1/projects/{project_id}/playbooks', {
          params: { path: { project_id: projectId }, query: { limit: 100, cursor } },
        }),
      )) {
        found.push(playbook);
        if (found.length === maxPlaybooks) break;
      }
      return found;
    },
  });
  return (
    <Fetched asked={asked}>
      {(playbooks) => {
        const playbook = playbooks.find(({ id }) => id === chosenId) ?? playbooks[0];
        if (playbook === undefined) return <p>{labels.noPlaybooks}</p>;
        return (
          <>
            <Select
              label={labels.fields.playbook}
              value={playbook.id}
              onChange={({ target }) => setChosenId(target.value)}
            >
              {playbooks.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </Select>
            <ScheduleForm
              {...{ projectId, parameters: playbook.parameters, label: labels.create }}
              initial={newSchedule}
              save={async (body) =>
                (
                  await workspace.post('/v1/schedules', {
                    body: {
                      kind: 'playbook',
                      target: { project_id: projectId, playbook_id: playbook.id },
                      ...body,
                    },
                  })
                ).data
              }
              onSaved={({ id }) => {
                void queries.invalidateQueries({ queryKey: ['schedules'] });
                return navigate({ to: '/schedules/$scheduleId', params: { scheduleId: id } });
              }}
            />
          </>
        );
      }}
    </Fetched>
  );
}
