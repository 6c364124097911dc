import { faultAt, type Place } from '../parts/faults.ts';
import { Field } from '../parts/field.tsx';
import * as texts from '../texts/index.ts';
import { ParameterValue } from './parameter-value.tsx';
import { nameTwice, type ParameterRow, type ParameterType } from './parameters.ts';

const told = texts.automation.parameters;
const types = Object.keys(told.types) as ParameterType[];

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
    <fieldset>
      <legend>{told.title}</legend>
      <p className="hint">{told.hint}</p>
      {rows.map(({ key, name, type, required, default: value, description }, index) => (
        <fieldset key={key} className="parameter">
          <legend>{name === '' ? told.numbered(index + 1) : name}</legend>
          <Field label={told.name} fault={faultAt(error, ...at, name)}>
            {(control) => (
              <input
                {...control}
                autoComplete="off"
                value={name}
                onChange={({ target }) => change(key, { name: target.value })}
              />
            )}
          </Field>
          <Field label={told.type}>
            {(control) => (
              <select
                {...control}
                value={type}
                onChange={({ target }) => change(key, { type: target.value as ParameterType, default: '' })}
              >
                {types.map((one) => (
                  <option key={one} value={one}>
                    {told.types[one]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={told.default}>
            {(control) => (
              <ParameterValue
                {...{ control, type, value }}
                onChange={(text) => change(key, { default: text })}
              />
            )}
          </Field>
          <Field label={told.description}>
            {(control) => (
              <input
                {...control}
                value={description}
                onChange={({ target }) => change(key, { description: target.value })}
              />
            )}
          </Field>
          <label className="check">
            <input
              type="checkbox"
              checked={required}
              onChange={({ target }) => change(key, { required: target.checked })}
            />{' '}
            {told.required}
          </label>
          <button
            type="button"
            className="plain"
            onClick={() => onChange(rows.filter((row) => row.key !== key))}
          >
            {told.remove(name === '' ? String(index + 1) : name)}
          </button>
        </fieldset>
      ))}
      {twice !== undefined && (
        <p className="fault" role="alert">
          {told.twice(twice)}
        </p>
      )}
      <button type="button" className="plain" onClick={() => onChange([...rows, emptyRow(rows)])}>
        {told.add}
      </button>
    </fieldset>
  );
}

const emptyRow = (rows: readonly ParameterRow[]): ParameterRow => ({
  key: Math.max(-1, ...rows.map(({ key }) => key)) + 1,
  ...{ name: '', type: 'string', required: false, default: '', description: '' },
});
