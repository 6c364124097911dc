import { Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Action } from '../parts/action.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Composer, type Question } from './composer.tsx';
import { EditConversation } from './edit-conversation.tsx';
import { Messages } from './messages.tsx';
import type { InConversation } from './place.ts';
import { replyUnderWay, type Transcript } from './transcript.ts';
import { useTranscript } from './use-transcript.ts';
import { Waiting } from './waiting.tsx';

const route = getRouteApi('/framed/projects/$projectId/ask/$chatId');

/** A conversation, as it is written. */
export function ConversationPage() {
  const place = route.useParams();
  return <Followed key={place.chatId} {...place} />;
}

function Followed({ projectId, chatId }: InConversation) {
  const { transcript, error, retry, change } = useTranscript({ projectId, chatId });
  const failure = error !== undefined && <Failure error={error} onRetry={retry} />;
  if (transcript === undefined) return failure || <Loading />;
  // What was written stays in sight, and what one writes too.
  return (
    <>
      {failure}
      <Conversation {...{ projectId, chatId, transcript, change }} />
    </>
  );
}

interface ConversationProps extends InConversation {
  transcript: Transcript;
  change: (how: (before: Transcript) => Transcript) => void;
}

function Conversation({ projectId, chatId, transcript, change }: ConversationProps) {
  const path = { project_id: projectId, chat_id: chatId };
  const reply = replyUnderWay(transcript);
  const send = useMutation({
    mutationFn: (question: Question) =>
      workspace.post('/v1/projects/{project_id}/conversations/{chat_id}/messages', {
        params: { path },
        body: question,
      }),
  });
  const sent = useRef<Promise<unknown>>(Promise.resolve());
  const [isStopping, setIsStopping] = useState(false);
  return (
    <div className="conversation">
      <EditConversation
        {...{ projectId, chatId }}
        title={transcript.title}
        onRenamed={(title) => change((now) => ({ ...now, title }))}
      />
      {transcript.olderCursor !== null && (
        <Group>
          <Action
            does={async () => {
              const older = await workspace.get(
                '/v1/projects/{project_id}/conversations/{chat_id}/messages',
                { params: { path, query: { cursor: transcript.olderCursor!, limit: 100 } } },
              );
              change((now) => withOlder(now, older));
            }}
          >
            {texts.ask.older}
          </Action>
        </Group>
      )}
      <Messages {...{ projectId, chatId, transcript }} />
      <div className="writing">
        <Waiting {...{ projectId, chatId, transcript }} />
        <Composer
          keptAs={`question ${chatId}`}
          label={reply === undefined ? texts.ask.send : texts.ask.queue}
          model={transcript.messages.at(-1)?.model || undefined}
          onSend={(question) => {
            // One after the other: the queue has them in the order in which they were written.
            sent.current = sent.current.catch(() => undefined).then(() => send.mutateAsync(question));
            return sent.current;
          }}
        >
          {reply !== undefined && (
            <Action
              isDisabled={isStopping}
              does={async () => {
                setIsStopping(true);
                await workspace
                  .post('/v1/projects/{project_id}/conversations/{chat_id}/messages/{message_id}/cancel', {
                    params: { path: { ...path, message_id: reply.id }, query: { confirm: 'true' } },
                  })
                  .finally(() => setIsStopping(false));
              }}
            >
              {texts.ask.stop}
            </Action>
          )}
        </Composer>
        {send.error !== null && <Failure error={send.error} />}
      </div>
    </div>
  );
}

/** The list of messages begins with the newest; a conversation is read from the oldest. */
function withOlder(
  now: Transcript,
  { items, nextCursor }: { items: Transcript['messages'][number][]; nextCursor: string | null },
): Transcript {
  const known = new Set(now.messages.map(({ id }) => id));
  const older = items.filter(({ id }) => !known.has(id)).reverse();
  return { ...now, messages: [...older, ...now.messages], olderCursor: nextCursor };
}
