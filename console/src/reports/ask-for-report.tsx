import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../parts/form.tsx';
import { TextArea } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.reports.ask;
const maxPrompt = 32_000;

/** A report that the analyst is to write, by itself: it is a run until then. */
export function AskForReport({ projectId }: { projectId: string }) {
  const [prompt, setPrompt] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/projects/{project_id}/reports', {
        params: { path: { project_id: projectId } },
        body: { prompt },
      }),
    onSuccess: () => setPrompt(''),
  });
  return (
    <Form onSubmit={() => mutate()}>
      <TextArea
        label={labels.label}
        rows={2}
        required
        maxLength={maxPrompt}
        placeholder={labels.placeholder}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
      />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending || prompt.trim() === ''}>
          {labels.send}
        </Button>
        <span role="status">
          {data !== undefined && (
            <>
              {labels.begun}{' '}
              <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: data.data.id }}>
                {data.data.title}
              </Link>
            </>
          )}
        </span>
      </Group>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
