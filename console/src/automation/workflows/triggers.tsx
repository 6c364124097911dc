import { Text } from '@mantine/core';
import { useState } from 'react';
import { List } from '../../parts/list.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';
import { NewTrigger } from './new-trigger.tsx';
import { TriggerActions } from './trigger-actions.tsx';
import { TriggerWhen } from './trigger-when.tsx';
import type { DraftInHand } from './use-draft.ts';

const labels = texts.automation.workflows.triggers;

interface TriggersProps {
  workflow: Workflow;
  hand: DraftInHand;
}

/** What starts a workflow besides a person. */
export function Triggers({ workflow, hand }: TriggersProps) {
  const { triggers, status } = workflow;
  const [secret, setSecret] = useState<string>();
  const isEditable = status !== 'archived';
  return (
    <>
      {triggers.length === 0 ? (
        <p>{labels.none}</p>
      ) : (
        <List
          label={labels.title}
          items={triggers}
          keyOf={({ id }) => id}
          columns={[
            { title: labels.columns.type, value: ({ type }) => labels.types[type] },
            { title: labels.columns.label, value: ({ label }) => label },
            {
              title: labels.columns.when,
              value: (trigger) => <TriggerWhen projectId={workflow.projectId} trigger={trigger} />,
            },
            { title: labels.columns.enabled, value: ({ enabled }) => (enabled ? labels.on : labels.off) },
            ...(isEditable
              ? [
                  {
                    title: labels.columns.change,
                    value: (trigger: Workflow['triggers'][number]) => (
                      <TriggerActions {...{ workflowId: workflow.id, trigger, hand, onSecret: setSecret }} />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {secret !== undefined && (
        <ShownOnce values={[[labels.secret, secret]]} onClose={() => setSecret(undefined)} />
      )}
      {isEditable && status !== 'draft' && <Text c="dimmed">{labels.atActivation}</Text>}
      {isEditable && (
        <NewTrigger
          projectId={workflow.projectId}
          index={triggers.length}
          parameters={hand.draft.graph?.parameters ?? {}}
          add={async (trigger) => {
            const before = new Set(triggers.map(({ id }) => id));
            const { triggers: now } = await hand.saveTriggers((stored) => [...stored, trigger]);
            const made = now.find(({ id }) => !before.has(id))?.secret;
            if (made !== undefined) setSecret(made);
          }}
        />
      )}
    </>
  );
}
