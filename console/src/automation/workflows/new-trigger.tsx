import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { cadenceBody, newCadence } from '../../cadences/cadence.ts';
import { CadenceFields } from '../../cadences/cadence-fields.tsx';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
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
        <form
          className="narrow"
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
        >
          <Field label={labels.columns.type}>
            {(control) => (
              <select
                {...control}
                value={type}
                onChange={({ target }) => change({ type: target.value as Type })}
              >
                {types.map((type) => (
                  <option key={type} value={type}>
                    {labels.types[type]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={labels.columns.label} fault={faultAt(error, ...at, 'label')}>
            {(control) => (
              <input
                {...control}
                maxLength={200}
                value={label}
                onChange={({ target }) => change({ label: target.value })}
              />
            )}
          </Field>
          {type === 'schedule' && (
            <CadenceFields
              {...{ cadence, error, at }}
              change={(part) => change({ cadence: { ...cadence, ...part } })}
            />
          )}
          {type === 'data_event' && (
            <TablesOf {...{ projectId, tables, fault: faultAt(error, ...at, 'config') }} onChange={change} />
          )}
          <fieldset>
            <legend>{texts.automation.parameters.title}</legend>
            <ParameterValues
              {...{ projectId, parameters, values, error, at: [...at, 'params'] }}
              onChange={(changed) => change({ values: changed })}
            />
          </fieldset>
          <p className="buttons">
            <button type="submit" disabled={isPending}>
              {labels.addIt}
            </button>
          </p>
          {left !== null && <Failure error={left} />}
        </form>
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
    <fieldset>
      <legend>{labels.tables}</legend>
      <Unfetched asked={asked} />
      {data !== undefined && attached.length === 0 && <p className="hint">{labels.noTables}</p>}
      {attached.map(({ tableId: id, name }) => (
        <label key={id} className="check">
          <input
            type="checkbox"
            checked={tables.includes(id)}
            onChange={({ target }) =>
              onChange({ tables: target.checked ? [...tables, id] : tables.filter((table) => table !== id) })
            }
          />{' '}
          {name}
        </label>
      ))}
      {data?.length === maxAttached && <p className="hint">{labels.moreTables}</p>}
      {fault !== undefined && <p className="fault">{fault}</p>}
    </fieldset>
  );
}
