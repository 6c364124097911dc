import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { Input } from '../parts/input.tsx';
import { Fetched } from '../parts/states.tsx';
import { visible } from '../parts/visible.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { InConversation } from './place.ts';
import type { Call } from './tool-call.tsx';

const labels = texts.ask.approval;

/** A call that a person has to allow. The page shows the decision when the conversation tells it. */
export function Approval({ call, projectId, chatId }: InConversation & { call: Call }) {
  const [note, setNote] = useState('');
  const path = { project_id: projectId, chat_id: chatId };
  const asked = useQuery({
    queryKey: ['approvals', chatId, call.toolCallId],
    queryFn: () =>
      workspace.get('/v1/projects/{project_id}/conversations/{chat_id}/approvals', { params: { path } }),
  });
  const decide = (id: string, decision: 'allow' | 'deny') => () =>
    workspace.post('/v1/projects/{project_id}/conversations/{chat_id}/approvals/{approval_id}', {
      params: { path: { ...path, approval_id: id } },
      body: decision === 'allow' ? { decision } : { decision, note },
    });
  return (
    <Fetched asked={asked}>
      {({ items }) => {
        const pending = items.find(
          ({ toolCallId, status }) => toolCallId === call.toolCallId && status === 'pending',
        );
        return (
          pending !== undefined && (
            <section className="asks" aria-label={labels.title(visible(call.name))}>
              <h3>{labels.title(visible(call.name))}</h3>
              <pre>{visible(JSON.stringify(call.input, null, 2))}</pre>
              <Input
                label={labels.note}
                value={note}
                maxLength={1_000}
                onChange={({ target }) => setNote(target.value)}
              />
              <Group>
                <Action isPrimary does={decide(pending.id, 'allow')}>
                  {labels.allow}
                </Action>
                <Action does={decide(pending.id, 'deny')}>{labels.deny}</Action>
              </Group>
            </section>
          )
        );
      }}
    </Fetched>
  );
}
