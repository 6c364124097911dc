import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Input, Select } from '../parts/input.tsx';
import { List } from '../parts/list.tsx';
import * as texts from '../texts/index.ts';
import { dataTypes, type Mapping } from './reading.ts';

interface ColumnsProps {
  /** As the file was read first. */
  detected: readonly Mapping[];
  onChange: (mappings: readonly Mapping[]) => void;
}

interface Row extends Mapping {
  isTaken: boolean;
}

const labels = texts.intake.form;

/** The columns of a file: which are taken, under which name and type. */
export function Columns({ detected, onChange }: ColumnsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [rows, setRows] = useState<readonly Row[]>(
    detected.map((mapping) => ({ ...mapping, isTaken: true })),
  );
  /** Types and the choice are read anew at once, a name when it was written. */
  const change = (source: string, how: Partial<Row>, isDone = true) => {
    const next = rows.map((row) => (row.source_column_name === source ? { ...row, ...how } : row));
    setRows(next);
    if (isDone) tell(next);
  };
  const tell = (next: readonly Row[]) =>
    onChange(next.filter(({ isTaken }) => isTaken).map(({ isTaken: _, ...mapping }) => mapping));
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{labels.columns}</summary>
      {isOpen && (
        <List
          label={labels.columns}
          items={rows}
          keyOf={(row) => row.source_column_name}
          columns={[
            { title: labels.column.source, value: (row) => row.source_column_name },
            {
              title: labels.column.take,
              value: ({ source_column_name: source, isTaken }) => (
                <Checkbox
                  aria-label={`${labels.column.take}: ${source}`}
                  checked={isTaken}
                  onChange={({ target }) => change(source, { isTaken: target.checked })}
                />
              ),
            },
            {
              title: labels.column.name,
              value: ({ source_column_name: source, target_column_name: name }) => (
                <Input
                  aria-label={`${labels.column.name}: ${source}`}
                  value={name}
                  onChange={({ target }) => change(source, { target_column_name: target.value }, false)}
                  onBlur={() => tell(rows)}
                  onKeyDown={(event) => {
                    if (event.key !== 'Enter') return;
                    // The rows are read by the new name first.
                    event.preventDefault();
                    tell(rows);
                  }}
                />
              ),
            },
            {
              title: labels.column.type,
              value: ({ source_column_name: source, data_type: type }) => (
                <Select
                  aria-label={`${labels.column.type}: ${source}`}
                  value={type}
                  onChange={({ target }) => change(source, { data_type: target.value })}
                >
                  {[...new Set([type, ...dataTypes])].map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </Select>
              ),
            },
            {
              title: labels.column.nullable,
              value: ({ source_column_name: source, nullable }) => (
                <Checkbox
                  aria-label={`${labels.column.nullable}: ${source}`}
                  checked={nullable}
                  onChange={({ target }) => change(source, { nullable: target.checked })}
                />
              ),
            },
          ]}
        />
      )}
    </details>
  );
}
