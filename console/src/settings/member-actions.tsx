import { Group } from '@mantine/core';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { More } from '../parts/more.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { OfCaller } from './caller.ts';
import { type ChangedMember, type Member, nameOf } from './member.ts';
import { RoleChoice } from './role-choice.tsx';

const labels = texts.settings.members;
const members = ['members'];

interface MemberActionsProps extends OfCaller {
  member: Member;
  onReset: (url: string) => void;
  onChanged: (member: ChangedMember) => void;
}

/** What an administrator may do to a member; to an owner, only another owner. */
export function MemberActions({ me, member, onReset, onChanged }: MemberActionsProps) {
  const { id, role } = member;
  const [chosen, choose] = useState(role);
  const isOwner = me.role === 'owner';
  if (role === 'owner' && !isOwner) return null;
  const name = nameOf(member);
  const params = { path: { user_id: id } };
  return (
    <Group wrap="nowrap">
      <RoleChoice
        label={labels.roleOf(name)}
        offered={isOwner ? ['owner', 'admin', 'member'] : ['admin', 'member']}
        role={chosen}
        onChoose={choose}
      />
      <Action
        isDisabled={chosen === role}
        confirm={labels.confirmRole(name, texts.settings.roles[chosen])}
        changes={[members, ['me']]}
        does={async () => {
          const { data } = await workspace.patch('/v1/members/{user_id}', { params, body: { role: chosen } });
          onChanged({ ...data, isRemoved: false });
        }}
      >
        {labels.change}
      </Action>
      <More label={labels.more(name)}>
        <Action
          confirm={labels.confirmReset(name)}
          does={async () =>
            onReset((await workspace.post('/v1/members/{user_id}/password-reset', { params })).data.url)
          }
        >
          {labels.reset}
        </Action>
        <Action
          destroys
          confirm={labels.confirmRemove(name)}
          changes={[members]}
          does={async () => {
            const { data } = await workspace.delete('/v1/members/{user_id}', { params });
            onChanged({ ...data, isRemoved: true });
          }}
        >
          {labels.remove}
        </Action>
      </More>
    </Group>
  );
}
