import { List } from '../../parts/list.tsx';
import { texts } from '../../texts/index.ts';
import { cadenceInWords } from '../schedules/cadence.ts';
import type { Workflow } from './graph.ts';

const told = texts.automation.workflows.triggers;

/** What starts a workflow besides a person. */
export function Triggers({ triggers }: Pick<Workflow, 'triggers'>) {
  if (triggers.length === 0) return <p>{told.none}</p>;
  return (
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
      ]}
    />
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
