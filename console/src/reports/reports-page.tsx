import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../parts/list.tsx';
import { Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { AskForReport } from './ask-for-report.tsx';

const route = getRouteApi('/framed/projects/$projectId/reports');
const { columns, empty, sources, title } = texts.reports;

/** The reports of a project, and a way to have another one written. */
export function ReportsPage() {
  const { projectId } = route.useParams();
  const asked = useQuery({
    queryKey: ['reports', projectId],
    queryFn: () =>
      workspace.get('/v1/projects/{project_id}/reports', { params: { path: { project_id: projectId } } }),
  });
  return (
    <>
      <h1>{title}</h1>
      <AskForReport projectId={projectId} key={projectId} />
      <Fetched asked={asked}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{empty}</p>
          ) : (
            <List
              label={title}
              items={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: columns.title,
                  value: (report) => (
                    <Link
                      to="/projects/$projectId/reports/$reportId"
                      params={{ projectId, reportId: report.id }}
                    >
                      {report.title}
                    </Link>
                  ),
                },
                { title: columns.source, value: ({ source }) => sources[source] },
                { title: columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
              ]}
            />
          )
        }
      </Fetched>
    </>
  );
}
