import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TargetLink } from '../automation/schedules/target.tsx';
import { TableName } from '../data/table-name.tsx';
import type { Run } from '../parts/run.ts';
import { workspace } from '../session/login.ts';

/** What a run is about, by its name; what it makes is shown separately. */
export function Subject({ run, projectId }: { run: Run; projectId: string }) {
  const { type, id } = run.resource;
  switch (type) {
    case 'table':
      return (
        <Link to="/tables/$tableId" params={{ tableId: id }}>
          <TableName id={id} />
        </Link>
      );
    case 'workflow':
      return (
        <Link to="/workflows/$workflowId" params={{ workflowId: id }} search={{ run: run.id }}>
          <WorkflowTitle id={id} />
        </Link>
      );
    case 'playbook':
      return <TargetLink target={{ projectId, playbookId: id }} />;
    default:
      return (
        <>
          {type} <code>{id}</code>
        </>
      );
  }
}

/** Its title, or its id where it cannot be read. */
function WorkflowTitle({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['workflow', id],
    queryFn: () => workspace.get('/v1/workflows/{workflow_id}', { params: { path: { workflow_id: id } } }),
  });
  return data?.data.title ?? id;
}
