import type { Control } from '../parts/field.tsx';
import { Input, Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import type { ParameterType } from './parameters.ts';

const labels = texts.automation.parameters;

interface ParameterValueProps {
  control: Control;
  type: ParameterType;
  value: string;
  onChange: (value: string) => void;
  /** Id of a list of tables to choose from. */
  tables?: string | undefined;
}

/** The control of a value, by the type of its parameter. */
export function ParameterValue({ control, type, value, onChange, tables }: ParameterValueProps) {
  if (type === 'boolean')
    return (
      <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">{labels.unset}</option>
        <option value="true">{labels.yes}</option>
        <option value="false">{labels.no}</option>
      </Select>
    );
  return (
    <Input
      {...control}
      type={type === 'date' ? 'date' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      list={type === 'table' ? tables : undefined}
      autoComplete="off"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
