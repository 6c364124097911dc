import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../../../clients/typescript/src/index.ts';
import { workspace } from '../../session/login.ts';

export type Schedule = components['schemas']['Schedule'];
type Target = Schedule['target'];

/** The playbook that a schedule runs. */
export const targetQuery = ({ projectId, playbookId }: Target) => ({
  queryKey: ['playbook', playbookId],
  queryFn: () =>
    workspace.get('/v1/projects/{project_id}/playbooks/{playbook_id}', {
      params: { path: { project_id: projectId, playbook_id: playbookId } },
    }),
});

/** Its title, or its id where it cannot be read. */
export function TargetTitle({ target }: { target: Target }) {
  const { data } = useQuery(targetQuery(target));
  return <>{data?.data.title ?? target.playbookId}</>;
}

export const TargetLink = ({ target }: { target: Target }) => (
  <Link to="/projects/$projectId/playbooks/$playbookId" params={target}>
    <TargetTitle target={target} />
  </Link>
);
