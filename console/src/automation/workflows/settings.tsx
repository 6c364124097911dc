import { useState } from 'react';
import { faultAt } from '../../parts/faults.ts';
import { Input } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';
import { ParameterFields } from '../parameter-fields.tsx';
import { nameTwice, parametersOf, rowsOf } from '../parameters.ts';
import type { Draft } from './draft.ts';
import type { DraftInHand } from './use-draft.ts';

const { fields } = texts.automation.workflows;

interface SettingsProps {
  hand: DraftInHand;
  isEditable: boolean;
}

/** What a workflow has besides its nodes. */
export function Settings({ hand, isEditable }: SettingsProps) {
  const { title, description, outputFolder, graph } = hand.draft;
  const [rows, setRows] = useState(() => rowsOf(graph?.parameters ?? {}));
  const set = (part: Partial<Draft>) => hand.change((draft) => ({ ...draft, ...part }));
  return (
    <fieldset className="bare" disabled={!isEditable}>
      <Input
        label={fields.title}
        fault={faultAt(hand.error, 'title')}
        value={title}
        onChange={({ target }) => set({ title: target.value })}
      />
      <Input
        label={fields.description}
        fault={faultAt(hand.error, 'description')}
        value={description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <Input
        label={fields.folder}
        fault={faultAt(hand.error, 'output_folder')}
        value={outputFolder}
        onChange={({ target }) => set({ outputFolder: target.value })}
      />
      <ParameterFields
        rows={rows}
        onChange={(changed) => {
          setRows(changed);
          // Parameters of one name would become one.
          if (nameTwice(changed) === undefined)
            hand.change((draft) =>
              draft.graph === undefined
                ? draft
                : { ...draft, graph: { ...draft.graph, parameters: parametersOf(changed) } },
            );
        }}
      />
    </fieldset>
  );
}
