import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { type ChangedMember, nameOf } from './member.ts';

type Paused = ChangedMember['paused'][number];

const labels = texts.settings.members;

/** What ended with the rights of the person, and what is paused since because it ran as them. */
export function MemberChanged({ member }: { member: ChangedMember }) {
  const name = nameOf(member);
  const { paused, ended } = member;
  return (
    <div role="status">
      <p>
        {member.isRemoved ? labels.removed(name) : labels.changed(name, texts.settings.roles[member.role])}
      </p>
      {ended.length > 0 && <p>{labels.ended}</p>}
      <ul>
        {ended.map(({ id, type, name: what }) => (
          <li key={id}>
            {labels.issued[type]} {what}
          </li>
        ))}
      </ul>
      {paused.length > 0 && <p>{labels.paused}</p>}
      <ul>
        {paused.map((schedule) => (
          <PausedOne key={schedule.id} paused={schedule} />
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
      {labels.kinds[type]}{' '}
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
