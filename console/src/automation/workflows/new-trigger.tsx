import { Button, Checkbox, Fieldset, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { cadenceBody, newCadence } from '../../cadences/cadence.ts';
import { CadenceFields } from '../../cadences/cadence-fields.tsx';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { Form } from '../../parts/form.tsx';
import { Input, Select } from '../../parts/input.tsx';
import { Failure, Unfetched } from '../../parts/states.tsx';
import { attachedQuery, maxAttached } from '../../project/attached.ts';
import * as texts from '../../texts/index.ts';
import { ParameterValues } from '../parameter-values.tsx';
import { type Parameters, paramsOf } from '../parameters.ts';
import type { SentTrigger } from './draft.ts';

const labels = texts.automation.workflows.triggers;
const types = ['schedule', 'data_event', 'webhook', 'api'] as const;
type Type = (typeof types)[number];

interface NewTriggerProps {
  projectId: string;
  /** Of the graph: a trigger gives them their values. */
  parameters: Parameters;
  /** Among the triggers of the workflow. */
  index: number;
  add: (trigger: SentTrigger) => Promise<unknown>;
}

const empty = () => ({
  ...{ type: 'schedule' as Type, label: '', values: {} as Record<string, string> },
  ...{ cadence: newCadence(), tables: [] as readonly string[] },
});

/** Another way in which a workflow is started. */
export function NewTrigger({ projectId, parameters, index, add }: NewTriggerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [content, setContent] = useState(empty);
  const change = (part: Partial<typeof content>) => setContent((before) => ({ ...before, ...part }));
  const { type, label, cadence, tables, values } = content;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      add({
        ...{ type, label, enabled: true, params: paramsOf(parameters, values) },
        schedule: type === 'schedule' ? cadenceBody(cadence) : null,
        config: type === 'data_event' ? { table_ids: [...tables] } : null,
      } as SentTrigger),
    onSuccess: () => {
      setContent(empty());
      setIsOpen(false);
    },
  });
  const at = ['triggers', index];
  const left = unplaced(
    error,
    ['label', 'schedule', 'config', 'params'].map((name) => [...at, name]),
  );
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{labels.add}</summary>
      {isOpen && (
        <Form onSubmit={() => mutate()}>
          <Select
            label={labels.columns.type}
            value={type}
            onChange={({ target }) => change({ type: target.value as Type })}
          >
            {types.map((type) => (
              <option key={type} value={type}>
                {labels.types[type]}
              </option>
            ))}
          </Select>
          <Input
            label={labels.columns.label}
            fault={faultAt(error, ...at, 'label')}
            maxLength={200}
            value={label}
            onChange={({ target }) => change({ label: target.value })}
          />
          {type === 'schedule' && (
            <CadenceFields
              {...{ cadence, error, at }}
              change={(part) => change({ cadence: { ...cadence, ...part } })}
            />
          )}
          {type === 'data_event' && (
            <TablesOf {...{ projectId, tables, fault: faultAt(error, ...at, 'config') }} onChange={change} />
          )}
          <Fieldset legend={texts.automation.parameters.title}>
            <ParameterValues
              {...{ projectId, parameters, values, error, at: [...at, 'params'] }}
              onChange={(changed) => change({ values: changed })}
            />
          </Fieldset>
          <Group>
            <Button variant="filled" type="submit" disabled={isPending}>
              {labels.addIt}
            </Button>
          </Group>
          {left !== null && <Failure error={left} />}
        </Form>
      )}
    </details>
  );
}

interface TablesOfProps {
  projectId: string;
  tables: readonly string[];
  fault: string | undefined;
  onChange: (part: { tables: readonly string[] }) => void;
}

/** The tables whose new versions start it: those that are attached to the project. */
function TablesOf({ projectId, tables, fault, onChange }: TablesOfProps) {
  const asked = useQuery(attachedQuery(projectId));
  const { data } = asked;
  // Views have no versions of their own.
  const attached = (data ?? []).flatMap(({ tableId, name }) => (tableId === null ? [] : [{ tableId, name }]));
  return (
    <Fieldset legend={labels.tables}>
      <Unfetched asked={asked} />
      {data !== undefined && attached.length === 0 && <Text c="dimmed">{labels.noTables}</Text>}
      {attached.map(({ tableId: id, name }) => (
        <Checkbox
          key={id}
          label={name}
          checked={tables.includes(id)}
          onChange={({ target }) =>
            onChange({ tables: target.checked ? [...tables, id] : tables.filter((table) => table !== id) })
          }
        />
      ))}
      {data?.length === maxAttached && <Text c="dimmed">{labels.moreTables}</Text>}
      {fault !== undefined && <Text className="fault">{fault}</Text>}
    </Fieldset>
  );
}
