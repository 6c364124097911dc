import type { Control } from '../../parts/field.tsx';
import { Input, Select } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';

interface ColumnChoiceProps {
  control: Control;
  columns: readonly { name: string; dataType: string }[];
  value: string;
  onChange: (name: string) => void;
}

/** One of the columns of a resource; written where they are not known. */
export function ColumnChoice({ control, columns, value, onChange }: ColumnChoiceProps) {
  if (columns.length === 0)
    return (
      <Input
        {...control}
        autoComplete="off"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  const isOther = value !== '' && !columns.some(({ name }) => name === value);
  return (
    <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{texts.connections.dataset.unchosen}</option>
      {isOther && <option value={value}>{value}</option>}
      {columns.map(({ name, dataType }) => (
        <option key={name} value={name}>
          {name} ({dataType})
        </option>
      ))}
    </Select>
  );
}
