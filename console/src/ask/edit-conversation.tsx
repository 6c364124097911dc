import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { InConversation } from './place.ts';

const labels = texts.ask.edit;

interface EditConversationProps extends InConversation {
  title: string;
  onRenamed: (title: string) => void;
}

/** Another title for a conversation, or its end. */
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
  if (written !== undefined)
    return (
      <form
        className="buttons"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(written);
        }}
      >
        <label>
          {labels.title}{' '}
          <input
            // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed.
            autoFocus
            required
            maxLength={255}
            value={written}
            onChange={({ target }) => write(target.value)}
          />
        </label>
        <button type="submit" disabled={isPending}>
          {labels.save}
        </button>
        <button type="button" className="plain" onClick={() => write(undefined)}>
          {texts.parts.cancel}
        </button>
        {error !== null && <Failure error={error} />}
      </form>
    );
  return (
    <div className="buttons">
      <button type="button" className="plain" onClick={() => write(title)}>
        {labels.rename}
      </button>
      <Action
        isPlain
        confirm={labels.confirm(title)}
        changes={[['conversations', projectId]]}
        does={async () => {
          await workspace.delete('/v1/projects/{project_id}/conversations/{chat_id}', { params });
          await navigate({ to: '/projects/$projectId/ask', params: { projectId } });
        }}
      >
        {labels.remove}
      </Action>
    </div>
  );
}
