import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type Parameter, type Typed, textOf } from '../saved/parameter.ts';
import type { Dashboard, Filter, SavedQuery } from '../saved/resources.ts';
import { ValueInput } from '../saved/value-input.tsx';
import * as texts from '../texts/index.ts';

const route = getRouteApi('/framed/projects/$projectId/dashboards/$dashboardId');
const labels = texts.dashboards.filters;
const prefix = 'filter.';

/** The values of the filters as the address has them. */
export function useTyped(filters: readonly Filter[]): Typed {
  const search: Record<string, string | undefined> = route.useSearch();
  return useMemo(
    () =>
      Object.fromEntries(
        filters.flatMap(({ name }) => {
          const value = search[`${prefix}${name}`];
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    [filters, search],
  );
}

interface FilterBarProps {
  dashboard: Dashboard;
  typed: Typed;
  /** They may know values to choose from. */
  queries: ReadonlyMap<string, SavedQuery>;
}

/** The filters of a dashboard. What is chosen is in the address, so that it can be sent to somebody. */
export function FilterBar({ dashboard, typed, queries }: FilterBarProps) {
  const { filters } = dashboard;
  const navigate = route.useNavigate();
  const [draft, setDraft] = useState<Typed>({});
  if (filters.length === 0) return null;
  const defaults = new Map(filters.map(({ name, default: given }) => [name, textOf(given)]));
  const apply = (values: Typed) => {
    setDraft({});
    const search = Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        value === '' || value === defaults.get(name) ? [] : [[`${prefix}${name}`, value]],
      ),
    );
    void navigate({ search, replace: true, resetScroll: false });
  };
  const isDrafted = Object.keys(draft).length > 0;
  return (
    <form
      className="filters"
      aria-label={labels.title}
      onSubmit={(event) => {
        event.preventDefault();
        apply({ ...typed, ...draft });
      }}
    >
      {filters.map((filter) => (
        <ValueInput
          key={filter.name}
          label={filter.label}
          parameter={parameterOf(dashboard, filter, queries)}
          value={draft[filter.name] ?? typed[filter.name] ?? textOf(filter.default)}
          onChange={(text) => setDraft((now) => ({ ...now, [filter.name]: text }))}
          onDone={() => {
            if (isDrafted) apply({ ...typed, ...draft });
          }}
        />
      ))}
      {(isDrafted || Object.keys(typed).length > 0) && (
        <Button variant="subtle" onClick={() => apply({})}>
          {labels.reset}
        </Button>
      )}
    </form>
  );
}

/** A filter with the values to choose from of the first parameter that it is bound to. */
function parameterOf(
  { tiles }: Dashboard,
  { name, type, default: given }: Filter,
  queries: ReadonlyMap<string, SavedQuery>,
): Parameter {
  const [sql] = tiles.flatMap(({ queryId, bindings }) =>
    Object.entries(bindings).flatMap(([parameter, filter]) => {
      const choices = queries.get(queryId ?? '')?.parameters[parameter]?.choices_sql;
      return filter === name && choices !== undefined ? [choices] : [];
    }),
  );
  return { type, default: given, ...(sql === undefined ? {} : { choices_sql: sql }) };
}
