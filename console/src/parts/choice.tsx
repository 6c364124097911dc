import { Group } from '@mantine/core';
import { useId } from 'react';
import * as texts from '../texts/index.ts';
import { Select } from './input.tsx';

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value | undefined;
  options: readonly (readonly [Value, string])[];
  onChoose: (value: Value | undefined) => void;
}

/** One of these, or all. */
export function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  const field = useId();
  return (
    <Group>
      <label htmlFor={field}>{label}</label>
      <Select
        id={field}
        value={value ?? ''}
        onChange={({ target }) => onChoose(options.find(([name]) => name === target.value)?.[0])}
      >
        <option value="">{texts.parts.all}</option>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </Select>
    </Group>
  );
}
