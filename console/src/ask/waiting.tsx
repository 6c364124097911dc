import { Button, Group } from '@mantine/core';
import { useId, useState } from 'react';
import { Action } from '../parts/action.tsx';
import { TextArea } from '../parts/input.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { InConversation } from './place.ts';
import type { Queued, Transcript } from './transcript.ts';

const labels = texts.ask.waiting;

/** Questions that wait for their turn: changed and removed until it comes, held after a Stop until somebody goes on. */
export function Waiting({ transcript, ...place }: InConversation & { transcript: Transcript }) {
  const { queue, isHeld } = transcript;
  const path = { project_id: place.projectId, chat_id: place.chatId };
  if (queue.length === 0 && !isHeld) return null;
  return (
    <section aria-label={labels.title} className="waiting">
      <h2>{labels.title}</h2>
      {isHeld && (
        <Group>
          <p>{labels.held}</p>
          <Action
            isPrimary
            does={() =>
              workspace.post('/v1/projects/{project_id}/conversations/{chat_id}/queue/resume', {
                params: { path },
              })
            }
          >
            {labels.resume}
          </Action>
        </Group>
      )}
      <ol className="plain">
        {queue.map((queued) => (
          <li key={queued.id}>
            <Question queued={queued} {...place} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Question({ queued, projectId, chatId }: InConversation & { queued: Queued }) {
  const field = useId();
  /** With the revision that it was made of. */
  const [draft, setDraft] = useState<{ text: string; revision: number }>();
  const path = { project_id: projectId, chat_id: chatId, queued_message_id: queued.id };
  const address = '/v1/projects/{project_id}/conversations/{chat_id}/queue/{queued_message_id}';
  if (draft !== undefined)
    return (
      <>
        <label htmlFor={field}>{texts.ask.label}</label>
        <TextArea
          id={field}
          rows={2}
          value={draft.text}
          onChange={({ target }) => setDraft({ ...draft, text: target.value })}
        />
        <Group>
          <Action
            isPrimary
            isDisabled={draft.text.trim() === ''}
            does={async () => {
              const { text, revision } = draft;
              const body = { message: text, display_content: text, expected_revision: revision };
              await workspace.patch(address, { params: { path }, body });
              setDraft(undefined);
            }}
          >
            {labels.save}
          </Action>
          <Button onClick={() => setDraft(undefined)}>{texts.parts.cancel}</Button>
        </Group>
      </>
    );
  return (
    <Group>
      <span className="pre">{queued.displayContent === '' ? queued.message : queued.displayContent}</span>
      <Button onClick={() => setDraft({ text: queued.message, revision: queued.revision })}>
        {labels.edit}
      </Button>
      <Action does={() => workspace.delete(address, { params: { path } })}>{labels.remove}</Action>
    </Group>
  );
}
