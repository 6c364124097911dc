import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.reports.ask;
const maxPrompt = 32_000;

/** A report that the analyst is to write, by itself: it is a run until then. */
export function AskForReport({ projectId }: { projectId: string }) {
  const field = useId();
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
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <label htmlFor={field}>{labels.label}</label>
      <textarea
        id={field}
        className="prose"
        rows={2}
        required
        maxLength={maxPrompt}
        placeholder={labels.placeholder}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
      />
      <p className="buttons">
        <button type="submit" disabled={isPending || prompt.trim() === ''}>
          {labels.send}
        </button>
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
      </p>
      {error !== null && <Failure error={error} />}
    </form>
  );
}
