import { Button } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import { startOfDay } from './start-of-day.ts';

const labels = texts.settings.audit;
const names = ['actor_id', 'action', 'resource_id', 'from', 'to'] as const;
type Name = (typeof names)[number];

export type Filter = Partial<Record<Name, string>>;

const isDay = (name: Name) => name === 'from' || name === 'to';

/** Which events to show. */
export function AuditFilter({ onFilter }: { onFilter: (filter: Filter) => void }) {
  const [given, setGiven] = useState<Filter>({});
  return (
    <Form
      isRow
      onSubmit={() => {
        const filled = names.flatMap((name) => {
          const value = given[name]?.trim() ?? '';
          return value === '' ? [] : [[name, isDay(name) ? startOfDay(value) : value] as const];
        });
        onFilter(Object.fromEntries(filled));
      }}
    >
      {names.map((name) => (
        <div key={name}>
          <Input
            label={labels.filter[name]}
            type={isDay(name) ? 'date' : 'text'}
            maxLength={100}
            value={given[name] ?? ''}
            onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
          />
        </div>
      ))}
      <Button variant="filled" type="submit">
        {labels.apply}
      </Button>
    </Form>
  );
}
