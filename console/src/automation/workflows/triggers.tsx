import { useState } from 'react';
import { Action } from '../../parts/action.tsx';
import { List } from '../../parts/list.tsx';
import { ShownOnce } from '../../settings/shown-once.tsx';
import * as texts from '../../texts/index.ts';
import { cadenceInWords } from '../schedules/cadence.ts';
import type { Workflow } from './graph.ts';
import { NewTrigger } from './new-trigger.tsx';
import type { DraftInHand } from './use-draft.ts';

const told = texts.automation.workflows.triggers;

interface TriggersProps {
  workflow: Workflow;
  hand: DraftInHand;
}

/** What starts a workflow besides a person. */
export function Triggers({ workflow, hand }: TriggersProps) {
  const { triggers, status } = workflow;
  const [secret, setSecret] = useState<string>();
  const isEditable = status !== 'archived';
  const change = (id: string, how: { enabled: boolean }) =>
    hand.saveTriggers((stored) => stored.map((one) => (one.id === id ? { ...one, ...how } : one)));
  return (
    <>
      {triggers.length === 0 ? (
        <p>{told.none}</p>
      ) : (
        <List
          label={told.title}
          items={triggers}
          keyOf={({ id }) => id}
          columns={[
            { title: told.columns.type, value: ({ type }) => told.types[type] },
            { title: told.columns.label, value: ({ label }) => label },
            {
              title: told.columns.when,
              value: ({ schedule, config }) =>
                schedule === null ? textOf(config?.['hookUrl']) : cadenceInWords(schedule),
            },
            { title: told.columns.enabled, value: ({ enabled }) => (enabled ? told.on : told.off) },
            ...(isEditable
              ? [
                  {
                    title: told.columns.change,
                    value: ({ id, enabled, type }: Workflow['triggers'][number]) => (
                      <div className="buttons">
                        <Action isPlain does={() => change(id, { enabled: !enabled })}>
                          {enabled ? told.disable : told.enable}
                        </Action>
                        <Action
                          isPlain
                          confirm={told.removeSure(told.types[type])}
                          does={() => hand.saveTriggers((stored) => stored.filter((one) => one.id !== id))}
                        >
                          {told.remove}
                        </Action>
                      </div>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {secret !== undefined && (
        <ShownOnce values={[[told.secret, secret]]} onClose={() => setSecret(undefined)} />
      )}
      {isEditable && status !== 'draft' && <p className="hint">{told.atActivation}</p>}
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

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
