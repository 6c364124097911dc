import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { Report } from './report.ts';

const labels = texts.reports.versions;

/** The revisions of a report, each of which can still be read. */
export function Versions({ report: { id, projectId } }: { report: Report }) {
  const [isOpen, setIsOpen] = useState(false);
  const path = { project_id: projectId, report_id: id };
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{labels.title}</summary>
      {isOpen && (
        <Pages
          queryKey={['report', id, 'versions']}
          empty={labels.none}
          fetchPage={(page) =>
            workspace.get('/v1/projects/{project_id}/reports/{report_id}/versions', {
              params: { path, query: page },
            })
          }
        >
          {(found) => (
            <List
              label={labels.title}
              items={found}
              keyOf={({ revision }) => String(revision)}
              columns={[
                {
                  title: labels.revision,
                  value: ({ revision }) => (
                    <Link
                      to="/projects/$projectId/reports/$reportId"
                      params={{ projectId, reportId: id }}
                      search={{ revision: String(revision) }}
                    >
                      {revision}
                    </Link>
                  ),
                },
                { title: labels.name, value: ({ title }) => title },
                { title: labels.changed, value: ({ createdAt }) => <Time at={createdAt} /> },
                { title: labels.by, value: ({ createdByUserId }) => createdByUserId },
              ]}
            />
          )}
        </Pages>
      )}
    </details>
  );
}
