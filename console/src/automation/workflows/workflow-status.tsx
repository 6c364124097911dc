import { Status } from '../../parts/status.tsx';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';

export const WorkflowStatus = ({ status }: Pick<Workflow, 'status'>) =>
  status === 'unknown' ? (
    <span className="status">{texts.automation.workflows.unknown}</span>
  ) : (
    <Status of={status} />
  );
