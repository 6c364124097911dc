import { CadenceFields } from '../../cadences/cadence-fields.tsx';
import { faultAt } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import * as texts from '../../texts/index.ts';
import type { Repeats, Settings } from './settings.ts';

const labels = texts.connections.dataset;
const allRepeats = Object.keys(labels.repeats) as Repeats[];

interface ScheduleFieldsProps {
  settings: Settings;
  change: (part: Partial<Settings>) => void;
  error: Error | null;
}

/** When a dataset is copied by itself, if at all. */
export function ScheduleFields({ settings, change, error }: ScheduleFieldsProps) {
  const { repeats, minutes, cadence } = settings;
  return (
    <>
      <Field label={labels.schedule}>
        {(control) => (
          <select
            {...control}
            value={repeats}
            onChange={({ target }) => change({ repeats: target.value as Repeats })}
          >
            {allRepeats.map((allRepeat) => (
              <option key={allRepeat} value={allRepeat}>
                {labels.repeats[allRepeat]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {repeats === 'minutes' && (
        <Field label={labels.minutes} fault={faultAt(error, 'schedule', 'every_minutes')}>
          {(control) => (
            <input
              {...control}
              type="number"
              required
              value={minutes}
              onChange={({ target }) => change({ minutes: target.value })}
            />
          )}
        </Field>
      )}
      {repeats === 'clock' && (
        <CadenceFields
          {...{ cadence, error }}
          change={(part) => change({ cadence: { ...cadence, ...part } })}
        />
      )}
    </>
  );
}
