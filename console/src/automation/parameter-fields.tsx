import { Button, Checkbox, Fieldset, Text } from '@mantine/core';
import { faultAt, type Place } from '../parts/faults.ts';
import { Field } from '../parts/field.tsx';
import { Input, Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import { ParameterValue } from './parameter-value.tsx';
import { nameTwice, type ParameterRow, type ParameterType } from './parameters.ts';

const labels = texts.automation.parameters;
const types = Object.keys(labels.types) as ParameterType[];

interface ParameterFieldsProps {
  rows: readonly ParameterRow[];
  onChange: (rows: ParameterRow[]) => void;
  error?: Error | null;
  at?: Place;
}

/** The parameters of something that runs, as they are declared. */
export function ParameterFields({ rows, onChange, error = null, at = ['parameters'] }: ParameterFieldsProps) {
  const change = (key: number, part: Partial<ParameterRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const twice = nameTwice(rows);
  return (
    <Fieldset legend={labels.title}>
      <Text c="dimmed">{labels.hint}</Text>
      {rows.map(({ key, name, type, required, default: value, description }, index) => (
        <Fieldset legend={name === '' ? labels.numbered(index + 1) : name} key={key} className="parameter">
          <Input
            label={labels.name}
            fault={faultAt(error, ...at, name)}
            autoComplete="off"
            value={name}
            onChange={({ target }) => change(key, { name: target.value })}
          />
          <Select
            label={labels.type}
            value={type}
            onChange={({ target }) => change(key, { type: target.value as ParameterType, default: '' })}
          >
            {types.map((type) => (
              <option key={type} value={type}>
                {labels.types[type]}
              </option>
            ))}
          </Select>
          <Field label={labels.default}>
            {(control) => (
              <ParameterValue
                {...{ control, type, value }}
                onChange={(text) => change(key, { default: text })}
              />
            )}
          </Field>
          <Input
            label={labels.description}
            value={description}
            onChange={({ target }) => change(key, { description: target.value })}
          />
          <Checkbox
            label={labels.required}
            checked={required}
            onChange={({ target }) => change(key, { required: target.checked })}
          />
          <Button onClick={() => onChange(rows.filter((row) => row.key !== key))}>
            {labels.remove(name === '' ? String(index + 1) : name)}
          </Button>
        </Fieldset>
      ))}
      {twice !== undefined && (
        <Text className="fault" role="alert">
          {labels.twice(twice)}
        </Text>
      )}
      <Button onClick={() => onChange([...rows, emptyRow(rows)])}>{labels.add}</Button>
    </Fieldset>
  );
}

const emptyRow = (rows: readonly ParameterRow[]): ParameterRow => ({
  key: Math.max(-1, ...rows.map(({ key }) => key)) + 1,
  ...{ name: '', type: 'string', required: false, default: '', description: '' },
});
