import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { faultAt, type Place } from '../parts/faults.ts';
import { Field } from '../parts/field.tsx';
import { attachedQuery } from '../project/attached.ts';
import * as texts from '../texts/index.ts';
import { ParameterValue } from './parameter-value.tsx';
import { type Parameter, type Parameters, textOfValue } from './parameters.ts';

const labels = texts.automation.parameters;

interface ParameterValuesProps {
  projectId: string;
  parameters: Parameters;
  values: Readonly<Record<string, string>>;
  onChange: (values: Record<string, string>) => void;
  error: Error | null;
  /** Where they are in the body that is sent. */
  at: Place;
}

/** A field for the value of each parameter. */
export function ParameterValues({
  projectId,
  parameters,
  values,
  onChange,
  error,
  at,
}: ParameterValuesProps) {
  const list = useId();
  const fields = Object.entries(parameters);
  const hasTables = fields.some(([, { type }]) => type === 'table');
  const { data: entries } = useQuery({ ...attachedQuery(projectId), enabled: hasTables });
  if (fields.length === 0) return <Text c="dimmed">{labels.none}</Text>;
  return (
    <>
      {fields.map(([name, parameter]) => (
        <Field
          key={name}
          label={parameter.required ? texts.automation.required(name) : name}
          hint={hintOf(parameter)}
          fault={faultAt(error, ...at, name)}
        >
          {(control) => (
            <ParameterValue
              {...{ control, type: parameter.type, value: values[name] ?? '', tables: list }}
              onChange={(text) => onChange({ ...values, [name]: text })}
            />
          )}
        </Field>
      ))}
      {hasTables && (
        <datalist id={list}>
          {entries?.map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
        </datalist>
      )}
    </>
  );
}

function hintOf({ description, default: value }: Parameter): string | undefined {
  const hint = [description, value === null ? '' : labels.defaultIs(textOfValue(value))].join(' ').trim();
  return hint === '' ? undefined : hint;
}
