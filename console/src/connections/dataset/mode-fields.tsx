import { faultAt } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import { Select } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';
import { ColumnChoice } from './column-choice.tsx';
import { ColumnsChoice } from './columns-choice.tsx';
import {
  type ConnectionKind,
  type Dataset,
  isIncrementable,
  type Resource,
  type Settings,
} from './settings.ts';

const labels = texts.connections.dataset;
const modes = Object.keys(labels.modes) as Dataset['mode'][];

export interface ModeFieldsProps {
  type: ConnectionKind;
  /** Those of the resource; empty where they are not known. */
  columns: Resource['columns'];
  settings: Settings;
  change: (part: Partial<Settings>) => void;
  error: Error | null;
}

/** Whether everything is copied or what changed, and by which columns. */
export function ModeFields({ type, columns, settings, change, error }: ModeFieldsProps) {
  const { mode, cursor, keys } = settings;
  const isIncremental = isIncrementable(type) && mode === 'incremental';
  return (
    <>
      {isIncrementable(type) && (
        <Select
          label={labels.mode}
          hint={labels.modeHint}
          fault={faultAt(error, 'mode')}
          value={mode}
          onChange={({ target }) => change({ mode: target.value as Dataset['mode'] })}
        >
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {labels.modes[mode]}
            </option>
          ))}
        </Select>
      )}
      {isIncremental && (
        <Field label={labels.cursor} hint={labels.cursorHint} fault={faultAt(error, 'cursor')}>
          {(control) => (
            <ColumnChoice
              {...{ control, columns }}
              value={cursor}
              onChange={(name) => change({ cursor: name })}
            />
          )}
        </Field>
      )}
      {(isIncremental || type === 'http') && (
        <ColumnsChoice
          label={labels.keys}
          hint={type === 'http' ? `${labels.keysHint} ${labels.keysOfHttp}` : labels.keysHint}
          fault={faultAt(error, 'key_columns')}
          columns={columns}
          value={keys}
          onChange={(names) => change({ keys: names })}
        />
      )}
    </>
  );
}

/** Where a fault is shown by these fields. */
export const modePlaces = (type: ConnectionKind, { mode }: Settings): string[][] => [
  ...(isIncrementable(type) ? [['mode']] : []),
  ...(isIncrementable(type) && mode === 'incremental' ? [['cursor'], ['key_columns']] : []),
  ...(type === 'http' ? [['key_columns']] : []),
];
