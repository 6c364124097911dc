import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Message } from '../../../clients/typescript/src/index.ts';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { InConversation } from './place.ts';
import { textOf } from './transcript.ts';

const maxTitle = 200;

/** A reply becomes a report of its project, with its charts. */
export function KeepAsReport({ message, projectId }: InConversation & { message: Message }) {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => {
      const charts = Object.values(message.parts).flatMap((part) => (part.type === 'chart' ? [part] : []));
      const pictures = charts.map(
        ({ title, chartId }) => `![${title.replaceAll(/[[\]\\]/g, ' ')}](chart:${chartId})`,
      );
      const text = textOf(message);
      const [first = texts.ask.analyst] = text.split('\n');
      return workspace.post('/v1/projects/{project_id}/reports', {
        params: { path: { project_id: projectId } },
        body: {
          title:
            first
              .replaceAll(/[*_`#]/g, '')
              .trim()
              .slice(0, maxTitle) || texts.ask.analyst,
          content: [text, ...pictures].join('\n\n'),
        },
      });
    },
  });
  if (data !== undefined)
    return (
      <p>
        <Link to="/projects/$projectId/reports/$reportId" params={{ projectId, reportId: data.data.id }}>
          {texts.ask.report}
        </Link>
      </p>
    );
  return (
    <>
      <Button size="compact-xs" disabled={isPending} onClick={() => mutate()}>
        {texts.ask.keep}
      </Button>
      {error !== null && <Failure error={error} />}
    </>
  );
}
