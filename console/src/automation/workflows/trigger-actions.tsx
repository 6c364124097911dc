import { Group } from '@mantine/core';
import { Action } from '../../parts/action.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';
import type { DraftInHand } from './use-draft.ts';

const labels = texts.automation.workflows.triggers;

interface TriggerActionsProps {
  workflowId: string;
  trigger: Workflow['triggers'][number];
  hand: DraftInHand;
  /** Given the secret that is shown this once. */
  onSecret: (secret: string) => void;
}

/** What may be done about a trigger. */
export function TriggerActions({ workflowId, trigger, hand, onSecret }: TriggerActionsProps) {
  const { id, enabled, type } = trigger;
  const change = (how: { enabled: boolean }) =>
    hand.saveTriggers((stored) =>
      stored.map((trigger) => (trigger.id === id ? { ...trigger, ...how } : trigger)),
    );
  return (
    <Group>
      <Action does={() => change({ enabled: !enabled })}>{enabled ? labels.disable : labels.enable}</Action>
      {type === 'webhook' && (
        <Action
          confirm={labels.rotateSure}
          does={async () => {
            const { data } = await workspace.post(
              '/v1/workflows/{workflow_id}/triggers/{trigger_id}/secret',
              { params: { path: { workflow_id: workflowId, trigger_id: id } } },
            );
            if (data.secret !== undefined) onSecret(data.secret);
          }}
        >
          {labels.rotate}
        </Action>
      )}
      <Action
        destroys
        confirm={labels.removeSure(labels.types[type])}
        does={() => hand.saveTriggers((stored) => stored.filter((trigger) => trigger.id !== id))}
      >
        {labels.remove}
      </Action>
    </Group>
  );
}
