import { Checkbox, Fieldset, Text } from '@mantine/core';
import { useId } from 'react';
import { faultAt, type Place } from '../parts/faults.ts';
import { Input, Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import { allWeekdays, type CadenceForm, type WritableType, writableTypes } from './cadence.ts';

const { fields, types, weekdays } = texts.automation.schedules;
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];

interface CadenceFieldsProps {
  cadence: CadenceForm;
  change: (part: Partial<CadenceForm>) => void;
  error: Error | null;
  /** Where what has the cadence is in the body that is sent. */
  at?: Place;
}

/** When something fires: the fields of the type of cadence that is chosen. */
export function CadenceFields({ cadence, change, error, at = [] }: CadenceFieldsProps) {
  const list = useId();
  const { type } = cadence;
  const fault = (name: string) => faultAt(error, ...at, 'schedule', name);
  return (
    <>
      <Select
        label={fields.type}
        fault={fault('type')}
        value={type}
        onChange={({ target }) => change({ type: target.value as WritableType, interval: null })}
      >
        {writableTypes.map((writableType) => (
          <option key={writableType} value={writableType}>
            {types[writableType]}
          </option>
        ))}
      </Select>
      {type === 'one_time' && (
        <Input
          label={fields.runDate}
          fault={fault('run_date')}
          type="date"
          value={cadence.runDate}
          onChange={({ target }) => change({ runDate: target.value })}
        />
      )}
      {type === 'weekly' && <Weekdays {...{ cadence, change }} fault={fault('days_of_week')} />}
      {type === 'monthly' && (
        <Input
          label={fields.dayOfMonth}
          hint={fields.dayHint}
          fault={fault('day_of_month')}
          type="number"
          value={cadence.dayOfMonth}
          onChange={({ target }) => change({ dayOfMonth: target.value })}
        />
      )}
      <Input
        label={fields.time}
        fault={fault('time_of_day')}
        type="time"
        step={1}
        value={cadence.time}
        onChange={({ target }) => change({ time: target.value })}
      />
      <Input
        label={fields.zone}
        fault={fault('zone_id')}
        list={list}
        autoComplete="off"
        value={cadence.zone}
        onChange={({ target }) => change({ zone: target.value })}
      />
      <datalist id={list}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {type !== 'one_time' && (
        <Input
          label={fields.anchorDate}
          fault={fault('anchor_date') ?? fault('interval')}
          type="date"
          value={cadence.anchorDate}
          onChange={({ target }) => change({ anchorDate: target.value })}
        />
      )}
    </>
  );
}

interface WeekdaysProps extends Omit<CadenceFieldsProps, 'error' | 'at'> {
  fault: string | undefined;
}

function Weekdays({ cadence: { days }, change, fault }: WeekdaysProps) {
  const id = useId();
  return (
    <Fieldset legend={fields.days} aria-describedby={fault === undefined ? undefined : id}>
      {allWeekdays.map((day) => (
        <Checkbox
          key={day}
          label={weekdays[day]}
          checked={days.includes(day)}
          onChange={({ target }) =>
            change({ days: target.checked ? [...days, day] : days.filter((one) => one !== day) })
          }
        />
      ))}
      {fault !== undefined && (
        <Text className="fault" id={id}>
          {fault}
        </Text>
      )}
    </Fieldset>
  );
}
