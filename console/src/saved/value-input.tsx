import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { query } from '../../../clients/typescript/src/index.ts';
import { Input, Select } from '../parts/input.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { Parameter } from './parameter.ts';
import { textOf } from './parameter.ts';

interface ValueInputProps {
  label: string;
  parameter: Parameter;
  value: string;
  onChange: (text: string) => void;
  /** Called when the value is complete: after a choice, by Enter, or when the field is left. */
  onDone?: () => void;
  hint?: string;
  fault?: string | undefined;
}

const maxChoices = 200;

/** The value of a parameter or a filter, in a field of its type. Left empty, the default is used. */
export function ValueInput({ label, parameter, value, onChange, onDone, hint, fault }: ValueInputProps) {
  const { type, default: given, choices_sql: sql } = parameter;
  const list = useId();
  const { data: choices = [] } = useQuery({
    queryKey: ['choices', sql],
    enabled: sql !== undefined,
    queryFn: async () => {
      const { rows_with_column_order: rows = [] } = await query(workspace, {
        ...{ sql: sql!, limit: maxChoices, rowFormat: 'rows_with_column_order' },
      });
      return rows.flatMap(([cell]) => (cell?.value == null ? [] : [String(cell.value)]));
    },
    staleTime: 60_000,
  });
  const change = (text: string) => onChange(text);
  const described = { label, fault, ...(hint === undefined ? {} : { hint }) };
  if (type === 'boolean')
    return (
      <Select
        {...described}
        value={value}
        onChange={({ target }) => change(target.value)}
        {...(onDone === undefined ? {} : { onBlur: onDone })}
      >
        <option value="">
          {given === null ? texts.saved.unset : given === true ? texts.saved.yes : texts.saved.no}
        </option>
        <option value="true">{texts.saved.yes}</option>
        <option value="false">{texts.saved.no}</option>
      </Select>
    );
  return (
    <>
      <Input
        {...described}
        {...(type === 'list' && hint === undefined ? { hint: texts.saved.list } : {})}
        type={type === 'date' ? 'date' : 'text'}
        inputMode={type === 'number' ? 'decimal' : 'text'}
        {...(choices.length > 0 ? { list } : {})}
        placeholder={textOf(given)}
        value={value}
        onChange={({ target }) => change(target.value)}
        {...(onDone === undefined ? {} : { onBlur: onDone })}
      />
      {choices.length > 0 && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}
