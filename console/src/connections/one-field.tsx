import { Field } from '../parts/field.tsx';
import { Input, Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import type { ConnectionField } from './fields.ts';

const labels = texts.connections.fresh;

interface OneFieldProps {
  field: ConnectionField;
  isSecret: boolean;
  isNeeded: boolean;
  /** A secret that is set: left empty it stays. */
  isStored?: boolean;
  fault: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

/** A member of a connection's config, or one of its secrets. */
export function OneField({ field, isSecret, isNeeded, isStored, fault, value, onChange }: OneFieldProps) {
  const { label, type, values = [], example } = field;
  const options = type === 'boolean' ? ['true', 'false'] : values;
  const shownAs = (option: string) =>
    type === 'boolean' ? (option === 'true' ? labels.yes : labels.no) : option;
  const hint = isStored
    ? labels.stored
    : example === undefined || isSecret
      ? undefined
      : labels.example(String(example));
  return (
    <Field label={label} fault={fault} hint={hint}>
      {(control) =>
        options.length > 0 ? (
          <Select
            {...control}
            required={isNeeded}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          >
            <option value="">{isNeeded ? '' : labels.unset}</option>
            {options.map((option) => (
              <option key={option} value={option}>
                {shownAs(option)}
              </option>
            ))}
          </Select>
        ) : (
          <Input
            {...control}
            required={isNeeded}
            type={isSecret ? 'password' : 'text'}
            autoComplete="off"
            inputMode={type === 'integer' ? 'numeric' : undefined}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  );
}
