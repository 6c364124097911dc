import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { Markdown } from '../parts/later.tsx';
import { More } from '../parts/more.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Downloads } from './downloads.tsx';
import { EditReport } from './edit-report.tsx';
import { ReadTables } from './read-tables.tsx';
import type { OfReport } from './report.ts';
import { reportText } from './report-text.ts';
import { Versions } from './versions.tsx';

const route = getRouteApi('/framed/projects/$projectId/reports/$reportId');
const labels = texts.reports;

/** A report: its newest revision, or the one of the address. */
export function ReportPage() {
  const { projectId, reportId } = route.useParams();
  const { revision } = route.useSearch();
  const path = { project_id: projectId, report_id: reportId };
  const asked = useQuery({
    queryKey: ['report', reportId],
    queryFn: () => workspace.get('/v1/projects/{project_id}/reports/{report_id}', { params: { path } }),
  });
  return (
    <Fetched asked={asked}>
      {({ data }) => (
        <ShownReport
          key={`${reportId} ${revision}`}
          report={data}
          revision={revision === undefined ? data.revision : Number(revision)}
        />
      )}
    </Fetched>
  );
}

function ShownReport({ report, revision }: OfReport) {
  const navigate = route.useNavigate();
  /** As it was when the editing began: what others save meanwhile does not take its place. */
  const [edited, setEdited] = useState<OfReport>();
  const { id, projectId, title, source, sourceId, updatedAt } = report;
  const path = { project_id: projectId, report_id: id };
  const address = {
    to: '/projects/$projectId/reports/$reportId',
    params: { projectId, reportId: id },
  } as const;
  if (edited !== undefined)
    return (
      <EditReport
        {...edited}
        onEnd={async (isSaved) => {
          setEdited(undefined);
          if (isSaved) await navigate({ ...address, search: {} });
        }}
      />
    );
  return (
    <article className="report">
      <PageHead
        title={title}
        facts={
          <>
            {source === 'conversation' && sourceId !== null ? (
              <Link to="/projects/$projectId/ask/$chatId" params={{ projectId, chatId: sourceId }}>
                {labels.sources[source]}
              </Link>
            ) : (
              labels.sources[source]
            )}
            {' · '}
            <Time at={updatedAt} />
            {' · '}
            {labels.revision(report.revision)}
          </>
        }
      >
        <Button variant="filled" onClick={() => setEdited({ report, revision })}>
          {labels.edit.begin}
        </Button>
        <More>
          <Action
            destroys
            confirm={labels.remove.confirm(title)}
            changes={[['reports', projectId]]}
            does={async () => {
              await workspace.delete('/v1/projects/{project_id}/reports/{report_id}', { params: { path } });
              await navigate({ to: '/projects/$projectId/reports', params: { projectId } });
            }}
          >
            {labels.remove.title}
          </Action>
        </More>
      </PageHead>
      {revision !== report.revision && (
        <p role="status">
          {labels.older(revision)} <Link {...address}>{labels.newest}</Link>
        </p>
      )}
      <Content {...{ report, revision }} />
      <ReadTables report={report} />
      <Downloads {...{ report, revision }} />
      <Versions report={report} />
    </article>
  );
}

/** With its charts, results and images, which the service puts into the text. */
function Content({ report: { id, projectId }, revision }: OfReport) {
  const asked = useQuery({
    queryKey: ['report', id, 'text', revision],
    queryFn: () => reportText({ projectId, reportId: id, revision, format: 'markdown' }),
    // A revision never changes, and each reading of it is recorded.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Fetched asked={asked}>{(text) => <Markdown text={text} />}</Fetched>;
}
