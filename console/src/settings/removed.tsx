import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { nameOf } from './member-actions.tsx';

type RemovedMember = components['schemas']['RemovedMember'];
type Paused = RemovedMember['paused'][number];

const told = texts.settings.members;

/** What is paused since, because it ran as the person. */
export function Removed({ member }: { member: RemovedMember }) {
  return (
    <div role="status">
      <p>
        {told.removed(nameOf(member))} {member.paused.length > 0 && told.paused}
      </p>
      <ul>
        {member.paused.map((paused) => (
          <PausedOne key={paused.id} paused={paused} />
        ))}
      </ul>
    </div>
  );
}

/** It may be looked at once it is one's own; a workflow not before. */
function PausedOne({ paused: { id, type, name } }: { paused: Paused }) {
  const [isMine, setMine] = useState(false);
  const title = name === '' ? id : name;
  const isSchedule = type === 'schedule';
  return (
    <li>
      {told.kinds[type]}{' '}
      {!isMine ? (
        title
      ) : isSchedule ? (
        <Link to="/schedules/$scheduleId" params={{ scheduleId: id }}>
          {title}
        </Link>
      ) : (
        <Link to="/workflows/$workflowId" params={{ workflowId: id }}>
          {title}
        </Link>
      )}{' '}
      {!isMine && (
        <Action
          isPlain
          changes={[[isSchedule ? 'schedules' : 'workflows']]}
          does={async () => {
            await (isSchedule
              ? workspace.post('/v1/schedules/{schedule_id}/take-over', {
                  params: { path: { schedule_id: id } },
                })
              : workspace.post('/v1/workflows/{workflow_id}/take-over', {
                  params: { path: { workflow_id: id } },
                }));
            setMine(true);
          }}
        >
          {texts.automation.takeOver}
        </Action>
      )}
    </li>
  );
}
