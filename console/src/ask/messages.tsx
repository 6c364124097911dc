import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, useEffect, useRef, useState } from 'react';
import { errorOf } from '../../../clients/typescript/src/errors.ts';
import type { Message, MessagePart } from '../../../clients/typescript/src/index.ts';
import { Chart, Markdown } from '../parts/later.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Approval } from './approval.tsx';
import { KeepAsReport } from './keep-as-report.tsx';
import { Pin } from './pin.tsx';
import type { InConversation } from './place.ts';
import { ToolCall } from './tool-call.tsx';
import { type Transcript, textOf } from './transcript.ts';

/** How far from its end a page is still read at its end, in pixels. */
const nearEnd = 200;

/** What was said, oldest first; what is written comes into sight as long as one reads the end. */
export function Messages({ transcript, ...place }: InConversation & { transcript: Transcript }) {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
      isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
    };
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of what is shown.
  useEffect(() => {
    const { scrollHeight } = document.documentElement;
    if (isAtEnd.current) scrollTo(0, scrollHeight);
  }, [transcript]);
  const isOlder = useIsOlder(transcript.messages[0]?.id);
  return (
    <ol
      className="messages"
      aria-label={texts.ask.messages}
      aria-live={isOlder ? 'off' : 'polite'}
      aria-relevant="additions"
    >
      {transcript.messages.map((message) => (
        <Said key={message.id} message={message} {...place} />
      ))}
    </ol>
  );
}

/** How long a screen reader has to pass over older messages, in milliseconds. */
const passMs = 1_000;

/** Whether older messages have just come before the first one: screen readers don't announce them as new. */
function useIsOlder(first: string | undefined): boolean {
  const [announced, setAnnounced] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => setAnnounced(first), passMs);
    return () => clearTimeout(timer);
  }, [first]);
  return announced !== first && announced !== undefined;
}

/** Drawn again only when it changed: a conversation may have hundreds. */
const Said = memo(function Said({ message, ...place }: InConversation & { message: Message }) {
  const { role, status, parts, content, displayContent, error, withheld } = message;
  if (role === 'user')
    return (
      <li className="said user">
        <strong>{texts.ask.you}</strong>
        <p className="pre">{displayContent === '' ? content : displayContent}</p>
      </li>
    );
  const isOver = status !== 'streaming' && status !== 'waiting_approval';
  return (
    <li className="said" aria-busy={!isOver}>
      <strong>{texts.ask.analyst}</strong> {!isOver && <Status of={status} />}
      {Object.entries(parts).map(([at, part]) => (
        <Part key={at} part={part} message={message} {...place} />
      ))}
      {withheld && <Text c="dimmed">{texts.ask.withheld}</Text>}
      {status === 'cancelled' && <Text c="dimmed">{texts.ask.stopped}</Text>}
      {error !== null && <Failure error={new Error(error.message)} />}
      {status === 'complete' && (
        <div className="reply-actions">
          <Pin message={message} projectId={place.projectId} />
          {textOf(message) !== '' && <KeepAsReport message={message} {...place} />}
        </div>
      )}
    </li>
  );
});

interface PartProps extends InConversation {
  part: MessagePart;
  message: Message;
}

function Part({ part, message, ...place }: PartProps) {
  switch (part.type) {
    case 'text':
      return <Markdown text={part.text} />;
    case 'tool_call':
      return (
        <>
          <ToolCall call={part} {...place} />
          {part.status === 'waiting_approval' && <Approval call={part} {...place} />}
        </>
      );
    case 'chart':
      return <Drawn {...part} {...place} />;
    case 'report':
      return (
        <p>
          <Link
            to="/projects/$projectId/reports/$reportId"
            params={{ projectId: place.projectId, reportId: part.reportId }}
          >
            {part.title}
          </Link>
        </p>
      );
  }
}

function Drawn({ chartId, title, projectId, chatId }: InConversation & { chartId: string; title: string }) {
  const asked = useQuery({
    queryKey: ['chart', chartId],
    queryFn: async () => {
      const path = `/v1/projects/${projectId}/conversations/${chatId}/charts/${chartId}?format=json`;
      const response = await workspace.send(path);
      if (!response.ok) throw await errorOf(response);
      return (await response.json()) as Record<string, object>;
    },
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Fetched asked={asked}>{(drawing) => <Chart title={title} document={drawing} />}</Fetched>;
}
