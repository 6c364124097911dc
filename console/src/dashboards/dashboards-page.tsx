import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty } from '../parts/empty.tsx';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import { List } from '../parts/list.tsx';
import { OpensPanel } from '../parts/opens-panel.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { createDashboard } from '../saved/add-tile.ts';
import { dashboardsQuery } from '../saved/resources.ts';
import * as texts from '../texts/index.ts';

const route = getRouteApi('/framed/projects/$projectId/dashboards');
const { title, empty, columns, new: labels } = texts.dashboards;

/** The dashboards of a project, and a way to make another one. */
export function DashboardsPage() {
  const { projectId } = route.useParams();
  const asked = useQuery(dashboardsQuery(projectId));
  return (
    <>
      <PageHead title={title}>
        <OpensPanel title={labels.title} isPrimary>
          <NewDashboard projectId={projectId} />
        </OpensPanel>
      </PageHead>
      <Fetched asked={asked}>
        {(found) =>
          found.length === 0 ? (
            <Empty>{empty}</Empty>
          ) : (
            <List
              label={title}
              items={found}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: columns.name,
                  value: ({ id, name, description }) => (
                    <>
                      <Link
                        to="/projects/$projectId/dashboards/$dashboardId"
                        params={{ projectId, dashboardId: id }}
                      >
                        {name}
                      </Link>
                      {description !== '' && <p className="facts">{description}</p>}
                    </>
                  ),
                },
                { title: columns.tiles, value: ({ tiles }) => tiles.length, isNumber: true },
                { title: columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
              ]}
            />
          )
        }
      </Fetched>
    </>
  );
}

function NewDashboard({ projectId }: { projectId: string }) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const [name, setName] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => createDashboard(projectId, name),
    onSuccess: async ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['dashboards', projectId] });
      await navigate({
        to: '/projects/$projectId/dashboards/$dashboardId',
        params: { projectId, dashboardId: id },
        search: { edit: 'yes' },
      });
    },
  });
  return (
    <Form onSubmit={() => mutate()}>
      <Input
        label={labels.name}
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Button variant="filled" type="submit" disabled={isPending}>
        {labels.submit}
      </Button>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
