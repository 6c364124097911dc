import { CadenceFields } from '../../cadences/cadence-fields.tsx';
import { faultAt } from '../../parts/faults.ts';
import { Input, Select } from '../../parts/input.tsx';
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
      <Select
        label={labels.schedule}
        value={repeats}
        onChange={({ target }) => change({ repeats: target.value as Repeats })}
      >
        {allRepeats.map((allRepeat) => (
          <option key={allRepeat} value={allRepeat}>
            {labels.repeats[allRepeat]}
          </option>
        ))}
      </Select>
      {repeats === 'minutes' && (
        <Input
          label={labels.minutes}
          fault={faultAt(error, 'schedule', 'every_minutes')}
          type="number"
          required
          value={minutes}
          onChange={({ target }) => change({ minutes: target.value })}
        />
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
