import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fetched } from '../parts/states.tsx';
import { dashboardQuery } from '../saved/resources.ts';
import { Board } from './board.tsx';
import { EditBoard } from './edit-board.tsx';

const route = getRouteApi('/framed/projects/$projectId/dashboards/$dashboardId');

/** A dashboard, to be looked at or to be edited. */
export function DashboardPage() {
  const { projectId, dashboardId } = route.useParams();
  const { edit } = route.useSearch();
  const asked = useQuery(dashboardQuery(projectId, dashboardId));
  return (
    <Fetched asked={asked}>
      {(dashboard) =>
        edit === undefined ? (
          <Board key={dashboardId} dashboard={dashboard} />
        ) : (
          <EditBoard key={dashboardId} dashboard={dashboard} />
        )
      }
    </Fetched>
  );
}
