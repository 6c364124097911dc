import { useQuery } from '@tanstack/react-query';
import { tablesQuery } from '../data/tables.ts';
import { type Control, Field } from '../parts/field.tsx';
import { Input, Select, TextArea } from '../parts/input.tsx';
import { Unfetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import type { paramsOf } from './content.ts';
import { fromLine, linesOf, toLine } from './lines.ts';

const labels = texts.verification;

interface ParamFieldProps {
  param: (typeof paramsOf)['sql'][number];
  value: string;
  fault: string | undefined;
  isEditable: boolean;
  /** Those that may be named, where they are known. */
  columns: readonly string[];
  onChange: (text: string) => void;
}

/** The control of one parameter of a test. */
export function ParamField({
  param: { name, as, isOptional },
  value,
  fault,
  isEditable,
  columns,
  onChange,
}: ParamFieldProps) {
  const label = labels.params[name as keyof typeof labels.params];
  const hint = isEditable ? labels.hints[as as keyof typeof labels.hints] : labels.inexact;
  return (
    <Field {...{ label, hint, fault }}>
      {(control) => {
        const own = { ...control, required: !isOptional, value };
        switch (as) {
          case 'number':
            return (
              <Input
                {...own}
                type="number"
                min={0}
                step="any"
                onChange={({ target }) => onChange(target.value)}
              />
            );
          case 'table':
            return <TableChoice {...{ control, value, onChange }} />;
          case 'column':
            return columns.length === 0 ? (
              <Input {...own} onChange={({ target }) => onChange(target.value)} />
            ) : (
              <Select {...own} onChange={({ target }) => onChange(target.value)}>
                <option value="" />
                {withOwn(columns, value).map((column) => (
                  <option key={column} value={column}>
                    {column}
                  </option>
                ))}
              </Select>
            );
          case 'columns':
          case 'otherColumns':
            return (
              <>
                <TextArea
                  isCode
                  {...own}
                  rows={3}
                  spellCheck={false}
                  onChange={({ target }) => onChange(target.value)}
                />
                {columns.length > 0 && (
                  <AddColumn
                    label={labels.add(label)}
                    columns={columns.filter((column) => !linesOf(value).map(fromLine).includes(column))}
                    onAdd={(column) => onChange([...linesOf(value), toLine(column)].join('\n'))}
                  />
                )}
              </>
            );
          default:
            return (
              <TextArea
                isCode
                {...own}
                rows={5}
                spellCheck={false}
                readOnly={!isEditable}
                onChange={({ target }) => onChange(target.value)}
              />
            );
        }
      }}
    </Field>
  );
}

const withOwn = (columns: readonly string[], own: string): readonly string[] =>
  own === '' || columns.includes(own) ? columns : [...columns, own];

interface AddColumnProps {
  label: string;
  columns: readonly string[];
  onAdd: (column: string) => void;
}

function AddColumn({ label, columns, onAdd }: AddColumnProps) {
  return (
    <Select aria-label={label} value="" onChange={({ target }) => onAdd(target.value)}>
      <option value="" disabled>
        {label}
      </option>
      {columns.map((column) => (
        <option key={column} value={column}>
          {column}
        </option>
      ))}
    </Select>
  );
}

interface TableChoiceProps {
  control: Control;
  value: string;
  onChange: (id: string) => void;
}

/** One of the tables; tests are of no views. */
export function TableChoice({ control, value, onChange }: TableChoiceProps) {
  const asked = useQuery(tablesQuery);
  const tables = (asked.data ?? []).filter(({ kind }) => kind !== 'view' && kind !== 'system');
  const isMissing = value !== '' && !tables.some(({ id }) => id === value);
  return (
    <>
      <Select {...control} required value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="" />
        {tables.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {isMissing && <option>{value}</option>}
      </Select>
      <Unfetched asked={asked} />
    </>
  );
}
