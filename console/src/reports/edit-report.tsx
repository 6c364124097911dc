import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { Form } from '../parts/form.tsx';
import { Input, TextArea } from '../parts/input.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { useUnsaved } from '../parts/use-unsaved.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { OfReport, Report } from './report.ts';
import { reportText } from './report-text.ts';

const labels = texts.reports.edit;
const maxTitle = 200;

interface EditReportProps extends OfReport {
  onEnd: (isSaved: boolean) => void;
}

/** Begins with the revision that was read, so that an older one is brought back by saving it. */
export function EditReport({ report, revision, onEnd }: EditReportProps) {
  const { id: reportId, projectId } = report;
  const asked = useQuery({
    queryKey: ['report', reportId, 'raw', revision],
    queryFn: () => reportText({ projectId, reportId, revision, format: 'raw' }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Fetched asked={asked}>{(text) => <Editor {...{ report, text, onEnd }} />}</Fetched>;
}

interface EditorProps {
  report: Report;
  text: string;
  onEnd: (isSaved: boolean) => void;
}

function Editor({ report, text, onEnd }: EditorProps) {
  const queries = useQueryClient();
  const [title, setTitle] = useState(report.title);
  const [content, setContent] = useState(text);
  const [madeOf] = useState(report.revision);
  const { id, projectId } = report;
  const { mutate, error, isPending } = useMutation({
    mutationFn: (expected: number) =>
      workspace.patch('/v1/projects/{project_id}/reports/{report_id}', {
        params: { path: { project_id: projectId, report_id: id } },
        body: { title, content, expected_revision: expected },
      }),
    onSuccess: async ({ data }) => {
      queries.setQueryData(['report', id], { data });
      void queries.invalidateQueries({ queryKey: ['report', id, 'versions'] });
      void queries.invalidateQueries({ queryKey: ['reports', projectId] });
      onEnd(true);
    },
  });
  useUnsaved((title !== report.title || content !== text) && !isPending);
  const newer = newerRevision(error);
  return (
    <Form onSubmit={() => mutate(madeOf)}>
      <h1>{report.title}</h1>
      <Input
        label={labels.title}
        required
        maxLength={maxTitle}
        value={title}
        onChange={({ target }) => setTitle(target.value)}
      />
      <TextArea
        isCode
        label={labels.content}
        required
        rows={20}
        value={content}
        onChange={({ target }) => setContent(target.value)}
      />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.save}
        </Button>
        <Button onClick={() => onEnd(false)}>{texts.parts.cancel}</Button>
      </Group>
      {error !== null && <Failure error={newer === undefined ? error : new Error(labels.conflict)} />}
      {newer !== undefined && (
        <p>
          <Button disabled={isPending} onClick={() => mutate(newer)}>
            {labels.overwrite}
          </Button>
        </p>
      )}
    </Form>
  );
}

/** The revision that somebody else wrote meanwhile. */
function newerRevision(error: Error | null): number | undefined {
  if (!(error instanceof WorkspaceError) || error.code !== 'revision_conflict') return undefined;
  const { current_revision: current } = error.problem;
  return typeof current === 'number' ? current : undefined;
}
