import { useState } from 'react';
import { faultAt } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import * as texts from '../../texts/index.ts';
import { ParameterFields } from '../parameter-fields.tsx';
import { nameTwice, parametersOf, rowsOf } from '../parameters.ts';
import type { Draft } from './draft.ts';
import type { ChangeGraph, Graph } from './graph.ts';
import type { DraftInHand } from './use-draft.ts';

const { settings, fields } = texts.automation.workflows;

interface SettingsProps {
  hand: DraftInHand;
  graph: Graph;
  isEditable: boolean;
  change: ChangeGraph;
}

/** What a workflow has besides its nodes. */
export function Settings({ hand, graph, isEditable, change }: SettingsProps) {
  const { title, description, outputFolder } = hand.draft;
  const [rows, setRows] = useState(() => rowsOf(graph.parameters));
  const set = (part: Partial<Draft>) => hand.change((draft) => ({ ...draft, ...part }));
  return (
    <details>
      <summary>{settings}</summary>
      <fieldset className="narrow bare" disabled={!isEditable}>
        <Field label={fields.title} fault={faultAt(hand.error, 'title')}>
          {(control) => (
            <input {...control} value={title} onChange={({ target }) => set({ title: target.value })} />
          )}
        </Field>
        <Field label={fields.description} fault={faultAt(hand.error, 'description')}>
          {(control) => (
            <input
              {...control}
              value={description}
              onChange={({ target }) => set({ description: target.value })}
            />
          )}
        </Field>
        <Field label={fields.folder} fault={faultAt(hand.error, 'output_folder')}>
          {(control) => (
            <input
              {...control}
              value={outputFolder}
              onChange={({ target }) => set({ outputFolder: target.value })}
            />
          )}
        </Field>
        <ParameterFields
          rows={rows}
          onChange={(changed) => {
            setRows(changed);
            // Parameters of one name would become one.
            if (nameTwice(changed) === undefined)
              change((before) => ({ ...before, parameters: parametersOf(changed) }));
          }}
        />
      </fieldset>
    </details>
  );
}
