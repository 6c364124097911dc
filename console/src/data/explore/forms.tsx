import { Button, Checkbox, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Input, Select } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';
import {
  type Aggregate,
  aggregates,
  type ExploredColumn,
  isDated,
  type Test,
  takesValue,
  testsOf,
  type Unit,
  units,
} from './exploration.ts';
import type { Change } from './use-exploration.ts';

const labels = texts.explore;

interface FormProps {
  columns: readonly ExploredColumn[];
  change: Change;
  close: () => void;
}

const names = (columns: readonly ExploredColumn[]) =>
  columns.map(({ name }) => (
    <option key={name} value={name}>
      {name}
    </option>
  ));

const submitting = (work: () => void) => (event: FormEvent) => {
  event.preventDefault();
  work();
};

/** A condition that rows have to meet. */
export function FilterForm({ columns, change, close, first }: FormProps & { first?: string }) {
  const [column, setColumn] = useState(first ?? columns[0]?.name ?? '');
  const dataType = columns.find(({ name }) => name === column)?.dataType ?? null;
  const possible = testsOf(dataType);
  const [asked, setTest] = useState<Test>('is');
  const test = possible.includes(asked) ? asked : possible[0]!;
  const [value, setValue] = useState(dataType === 'BOOLEAN' ? 'true' : '');
  const add = submitting(() => {
    const filter = { column, test, value: takesValue(test) ? value : '' };
    change((before) => ({ ...before, filters: [...before.filters, filter] }));
    close();
  });
  return (
    <form onSubmit={add}>
      <Stack gap="sm">
        <Select label={labels.column} value={column} onChange={({ target }) => setColumn(target.value)}>
          {names(columns)}
        </Select>
        <Select label={labels.test} value={test} onChange={({ target }) => setTest(target.value as Test)}>
          {possible.map((each) => (
            <option key={each} value={each}>
              {labels.tests[each]}
            </option>
          ))}
        </Select>
        {takesValue(test) &&
          (dataType === 'BOOLEAN' ? (
            <Select label={labels.value} value={value} onChange={({ target }) => setValue(target.value)}>
              <option value="true">{labels.isTrue}</option>
              <option value="false">{labels.isFalse}</option>
            </Select>
          ) : (
            <Input
              label={labels.value}
              type={dataType === 'DATE' ? 'date' : 'text'}
              value={value}
              onChange={({ target }) => setValue(target.value)}
            />
          ))}
        <Button type="submit" variant="filled">
          {labels.add}
        </Button>
      </Stack>
    </form>
  );
}

/** An order, by a column more. */
export function SortForm({ columns, change, close }: FormProps) {
  const [column, setColumn] = useState(columns[0]?.name ?? '');
  const [isDescending, setIsDescending] = useState(false);
  const add = submitting(() => {
    change((before) => ({
      ...before,
      sort: [...before.sort.filter((each) => each.column !== column), { column, isDescending }],
    }));
    close();
  });
  return (
    <form onSubmit={add}>
      <Stack gap="sm">
        <Select label={labels.column} value={column} onChange={({ target }) => setColumn(target.value)}>
          {names(columns)}
        </Select>
        <Select
          label={labels.order}
          value={isDescending ? 'descending' : 'ascending'}
          onChange={({ target }) => setIsDescending(target.value === 'descending')}
        >
          <option value="ascending">{labels.ascending}</option>
          <option value="descending">{labels.descending}</option>
        </Select>
        <Button type="submit" variant="filled">
          {labels.add}
        </Button>
      </Stack>
    </form>
  );
}

/** A column whose values make groups; days by what they have in common. */
export function GroupForm({ columns, change, close }: FormProps) {
  const [column, setColumn] = useState(columns[0]?.name ?? '');
  const [unit, setUnit] = useState('');
  const hasUnits = isDated(columns.find(({ name }) => name === column)?.dataType ?? null);
  const add = submitting(() => {
    const group = { column, ...(hasUnits && unit !== '' ? { unit: unit as Unit } : {}) };
    change((before) => ({
      ...before,
      sort: [],
      groups: [...before.groups.filter((each) => each.column !== column), group],
    }));
    close();
  });
  return (
    <form onSubmit={add}>
      <Stack gap="sm">
        <Select label={labels.column} value={column} onChange={({ target }) => setColumn(target.value)}>
          {names(columns)}
        </Select>
        {hasUnits && (
          <Select label={labels.by} value={unit} onChange={({ target }) => setUnit(target.value)}>
            <option value="">{labels.noUnit}</option>
            {units.map((each) => (
              <option key={each} value={each}>
                {labels.units[each]}
              </option>
            ))}
          </Select>
        )}
        <Button type="submit" variant="filled">
          {labels.add}
        </Button>
      </Stack>
    </form>
  );
}

/** A number for each group, or for all rows. */
export function MeasureForm({ columns, change, close }: FormProps) {
  const [name, setName] = useState<Aggregate>('count');
  const [column, setColumn] = useState(columns[0]?.name ?? '');
  const add = submitting(() => {
    const measure = name === 'count' ? { function: name } : { function: name, column };
    change((before) => ({ ...before, sort: [], measures: [...before.measures, measure] }));
    close();
  });
  return (
    <form onSubmit={add}>
      <Stack gap="sm">
        <Select
          label={labels.function}
          value={name}
          onChange={({ target }) => setName(target.value as Aggregate)}
        >
          {aggregates.map((each) => (
            <option key={each} value={each}>
              {labels.aggregates[each]}
            </option>
          ))}
        </Select>
        {name !== 'count' && (
          <Select label={labels.column} value={column} onChange={({ target }) => setColumn(target.value)}>
            {names(columns)}
          </Select>
        )}
        <Button type="submit" variant="filled">
          {labels.add}
        </Button>
      </Stack>
    </form>
  );
}

/** Which columns are shown. */
export function ColumnsForm({
  columns,
  hidden,
  change,
}: Omit<FormProps, 'close'> & { hidden: readonly string[] }) {
  return (
    <Stack gap="xs">
      {columns.map(({ name }) => (
        <Checkbox
          key={name}
          label={name}
          checked={!hidden.includes(name)}
          onChange={({ target }) => {
            const isShown = target.checked;
            change((before) => ({
              ...before,
              hidden: isShown ? before.hidden.filter((each) => each !== name) : [...before.hidden, name],
            }));
          }}
        />
      ))}
      {hidden.length > 0 && (
        <Button variant="subtle" onClick={() => change((before) => ({ ...before, hidden: [] }))}>
          {labels.showAll}
        </Button>
      )}
    </Stack>
  );
}
