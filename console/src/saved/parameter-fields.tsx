import { Fieldset } from '@mantine/core';
import { useState } from 'react';
import { Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import { type Parameter, type ParameterType, textOf, typedValue } from './parameter.ts';
import { ValueInput } from './value-input.tsx';

const { types, parameter: labels } = texts.saved;
const names = Object.keys(types) as ParameterType[];

interface ParameterFieldsProps {
  parameters: Readonly<Record<string, Parameter>>;
  onChange: (parameters: Record<string, Parameter>) => void;
}

/** What the parameters of a statement are: their types, and the values that they have by default. */
export const ParameterFields = ({ parameters, onChange }: ParameterFieldsProps) =>
  Object.entries(parameters).map(([name, parameter]) => {
    const change = (part: Partial<Parameter>) =>
      onChange({ ...parameters, [name]: { ...parameter, ...part } });
    return (
      <Fieldset key={name} legend={labels.title(name)}>
        <Select
          label={labels.type}
          value={parameter.type}
          onChange={({ target }) => change({ type: target.value as ParameterType, default: null })}
        >
          {names.map((type) => (
            <option key={type} value={type}>
              {types[type]}
            </option>
          ))}
        </Select>
        <DefaultInput
          key={parameter.type}
          parameter={parameter}
          onChange={(given) => change({ default: given })}
        />
      </Fieldset>
    );
  });

/** As it is typed: a list with the comma after which the next value is about to be written. */
export function DefaultInput({
  parameter,
  onChange,
}: {
  parameter: Parameter;
  onChange: (given: unknown) => void;
}) {
  const [text, setText] = useState(() => textOf(parameter.default));
  return (
    <ValueInput
      label={labels.default}
      parameter={{ type: parameter.type, default: null }}
      value={text}
      onChange={(now) => {
        setText(now);
        onChange(typedValue(parameter, now) ?? null);
      }}
    />
  );
}
