import { faultAt, type Place } from '../parts/faults.ts';
import { Field } from '../parts/field.tsx';
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
    <fieldset>
      <legend>{labels.title}</legend>
      <p className="hint">{labels.hint}</p>
      {rows.map(({ key, name, type, required, default: value, description }, index) => (
        <fieldset key={key} className="parameter">
          <legend>{name === '' ? labels.numbered(index + 1) : name}</legend>
          <Field label={labels.name} fault={faultAt(error, ...at, name)}>
            {(control) => (
              <input
                {...control}
                autoComplete="off"
                value={name}
                onChange={({ target }) => change(key, { name: target.value })}
              />
            )}
          </Field>
          <Field label={labels.type}>
            {(control) => (
              <select
                {...control}
                value={type}
                onChange={({ target }) => change(key, { type: target.value as ParameterType, default: '' })}
              >
                {types.map((type) => (
                  <option key={type} value={type}>
                    {labels.types[type]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={labels.default}>
            {(control) => (
              <ParameterValue
                {...{ control, type, value }}
                onChange={(text) => change(key, { default: text })}
              />
            )}
          </Field>
          <Field label={labels.description}>
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
            {labels.required}
          </label>
          <button
            type="button"
            className="plain"
            onClick={() => onChange(rows.filter((row) => row.key !== key))}
          >
            {labels.remove(name === '' ? String(index + 1) : name)}
          </button>
        </fieldset>
      ))}
      {twice !== undefined && (
        <p className="fault" role="alert">
          {labels.twice(twice)}
        </p>
      )}
      <button type="button" className="plain" onClick={() => onChange([...rows, emptyRow(rows)])}>
        {labels.add}
      </button>
    </fieldset>
  );
}

const emptyRow = (rows: readonly ParameterRow[]): ParameterRow => ({
  key: Math.max(-1, ...rows.map(({ key }) => key)) + 1,
  ...{ name: '', type: 'string', required: false, default: '', description: '' },
});
