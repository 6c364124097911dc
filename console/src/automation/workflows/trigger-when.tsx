import { useQuery } from '@tanstack/react-query';
import { cadenceInWords } from '../../cadences/cadence.ts';
import { attachedQuery } from '../../project/attached.ts';
import type { Workflow } from './graph.ts';

interface TriggerWhenProps {
  projectId: string;
  trigger: Workflow['triggers'][number];
}

/** When a trigger starts the workflow: its cadence, the address that is called, or the tables that change. */
export function TriggerWhen({ projectId, trigger: { type, schedule, config } }: TriggerWhenProps) {
  if (schedule !== null) return cadenceInWords(schedule);
  if (type === 'data_event') return <TableNames {...{ projectId }} ids={textsOf(config?.['tableIds'])} />;
  return textsOf([config?.['hookUrl']]).join('');
}

/** The names of tables, and the ids of those that are attached no more. */
function TableNames({ projectId, ids }: { projectId: string; ids: readonly string[] }) {
  const { data } = useQuery(attachedQuery(projectId));
  return ids.map((id) => data?.find(({ tableId }) => tableId === id)?.name ?? id).join(', ');
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
