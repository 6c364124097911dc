import { useId, useState } from 'react';
import * as texts from '../texts/index.ts';
import { startOfDay } from './start-of-day.ts';

const labels = texts.settings.audit;
const names = ['actor_id', 'action', 'resource_id', 'from', 'to'] as const;
type Name = (typeof names)[number];

export type Filter = Partial<Record<Name, string>>;

const isDay = (name: Name) => name === 'from' || name === 'to';

/** Which events to show. */
export function AuditFilter({ onFilter }: { onFilter: (filter: Filter) => void }) {
  const id = useId();
  const [given, setGiven] = useState<Filter>({});
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const filled = names.flatMap((name) => {
          const value = given[name]?.trim() ?? '';
          return value === '' ? [] : [[name, isDay(name) ? startOfDay(value) : value] as const];
        });
        onFilter(Object.fromEntries(filled));
      }}
    >
      {names.map((name) => (
        <div key={name}>
          <label htmlFor={`${id}-${name}`}>{labels.filter[name]}</label>
          <input
            id={`${id}-${name}`}
            type={isDay(name) ? 'date' : 'text'}
            maxLength={100}
            value={given[name] ?? ''}
            onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
          />
        </div>
      ))}
      <button type="submit">{labels.apply}</button>
    </form>
  );
}
