import { Action } from '../../parts/action.tsx';
import { Pages } from '../../parts/pages.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { Deliveries } from '../deliveries.tsx';
import type { Workflow } from './graph.ts';

const labels = texts.automation.deliveries;
const runningMs = 2_000;
const idleMs = 10_000;

/** What a workflow has sent; what did not arrive may be sent again. */
export function WorkflowDeliveries({
  workflow: { id },
  isRunning,
}: {
  workflow: Workflow;
  isRunning: boolean;
}) {
  const queryKey = ['workflow-deliveries', id];
  const path = { workflow_id: id };
  return (
    <Pages
      queryKey={queryKey}
      empty={labels.none}
      everyMs={isRunning ? runningMs : idleMs}
      fetchPage={(page) =>
        workspace.get('/v1/workflows/{workflow_id}/deliveries', { params: { path, query: page } })
      }
    >
      {(found) => (
        <Deliveries
          items={found}
          again={({ id: deliveryId, status, target }) =>
            (status === 'failed' || status === 'uncertain') && (
              <Action
                changes={[queryKey]}
                confirm={status === 'uncertain' ? `${labels.retry(target)}?` : undefined}
                does={() =>
                  workspace.post('/v1/workflows/{workflow_id}/deliveries/{delivery_id}/retry', {
                    params: { path: { ...path, delivery_id: deliveryId } },
                  })
                }
              >
                {labels.retryShort}
              </Action>
            )
          }
        />
      )}
    </Pages>
  );
}
