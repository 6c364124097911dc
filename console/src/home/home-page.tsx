import { useQuery } from '@tanstack/react-query';
import { tablesQuery } from '../data/tables.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Fetched } from '../parts/states.tsx';
import { useProjectId } from '../project/current.ts';
import * as texts from '../texts/index.ts';
import { Begin } from './begin.tsx';
import { NextRuns } from './next-runs.tsx';
import { RecentRuns } from './recent-runs.tsx';
import { RecentTables } from './recent-tables.tsx';

/** What happened, what waits and what comes next; in an empty workspace, how to begin. */
export function HomePage() {
  const asked = useQuery(tablesQuery);
  const projectId = useProjectId();
  return (
    <>
      <PageHead title={texts.pages.home} />
      <Fetched asked={asked}>
        {(all) => {
          const own = all.filter(({ kind }) => kind !== 'system');
          return own.length === 0 ? (
            <Begin />
          ) : (
            <div className="cards">
              {projectId !== undefined && <RecentRuns projectId={projectId} />}
              <NextRuns />
              <RecentTables entries={own} />
            </div>
          );
        }}
      </Fetched>
    </>
  );
}
