import { Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import { More } from '../parts/more.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { InConversation } from './place.ts';

const labels = texts.ask.edit;

interface EditConversationProps extends InConversation {
  title: string;
  onRenamed: (title: string) => void;
}

/** The title of a conversation, with the way to another title, and its end. */
export function EditConversation({ projectId, chatId, title, onRenamed }: EditConversationProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [written, write] = useState<string>();
  const params = { path: { project_id: projectId, chat_id: chatId } };
  const { mutate, isPending, error } = useMutation({
    mutationFn: (name: string) =>
      workspace.patch('/v1/projects/{project_id}/conversations/{chat_id}', { params, body: { title: name } }),
    onSuccess: ({ data }) => {
      write(undefined);
      onRenamed(data.title);
      return queries.invalidateQueries({ queryKey: ['conversations', projectId] });
    },
  });
  return (
    <>
      <PageHead title={title === '' ? texts.ask.title : title}>
        <More>
          <Menu.Item onClick={() => write(title)}>{labels.rename}</Menu.Item>
          <Action
            destroys
            confirm={labels.confirm(title)}
            changes={[['conversations', projectId]]}
            does={async () => {
              await workspace.delete('/v1/projects/{project_id}/conversations/{chat_id}', { params });
              await navigate({ to: '/projects/$projectId/ask', params: { projectId } });
            }}
          >
            {labels.remove}
          </Action>
        </More>
      </PageHead>
      {written !== undefined && (
        <Form isRow onSubmit={() => mutate(written)}>
          <Input
            label={labels.title}
            autoFocus
            required
            maxLength={255}
            value={written}
            onChange={({ target }) => write(target.value)}
          />
          <Button variant="filled" type="submit" disabled={isPending}>
            {labels.save}
          </Button>
          <Button onClick={() => write(undefined)}>{texts.parts.cancel}</Button>
          {error !== null && <Failure error={error} />}
        </Form>
      )}
    </>
  );
}
