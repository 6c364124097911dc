import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Field } from '../../parts/field.tsx';
import { LinesInput } from '../../parts/lines-input.tsx';
import * as texts from '../../texts/index.ts';
import { Group } from '../group.tsx';

interface ColumnsChoiceProps {
  label: string;
  hint: string;
  fault: string | undefined;
  columns: readonly { name: string }[];
  value: readonly string[];
  onChange: (names: string[]) => void;
}

/** Any of the columns of a resource; written where they are not known. */
export function ColumnsChoice({ label, hint, fault, columns, value, onChange }: ColumnsChoiceProps) {
  // What was named at first can be named again.
  const [first] = useState(value);
  if (columns.length === 0)
    return (
      <Field label={label} hint={`${hint} ${texts.automation.workflows.node.perLine}`} fault={fault}>
        {(control) => <LinesInput control={control} isEditable value={value} onChange={onChange} />}
      </Field>
    );
  const known = columns.map(({ name }) => name);
  const others = [...new Set([...first, ...value])].filter((name) => !known.includes(name));
  return (
    <Group title={label} {...{ hint, fault }}>
      {[...others, ...known].map((name) => (
        <Checkbox
          key={name}
          label={name}
          checked={value.includes(name)}
          onChange={({ target }) =>
            onChange(target.checked ? [...value, name] : value.filter((chosen) => chosen !== name))
          }
        />
      ))}
    </Group>
  );
}
