import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { List } from '../parts/list.tsx';
import { type Signal, Signaled } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import * as texts from '../texts/index.ts';
import { Freshness } from './freshness.tsx';
import type { Known } from './known.ts';
import type { Entry } from './tables.ts';

interface EntryListProps {
  entries: readonly Entry[];
  /** Undefined as long as it is not there. */
  known: ReadonlyMap<string, Known> | undefined;
}

const { columns, kinds, tests, tiers } = texts.data;
/** More than that nobody reads; the search finds the others. */
const maxShown = 500;
/** Calculated tables of which it is asked whether they are fresh, one by one. */
const maxAsked = 50;

/** Tables and views, with what is known of each. */
export function EntryList({ entries, known }: EntryListProps) {
  const shown = entries.slice(0, maxShown);
  const calculated = shown.filter(({ kind }) => kind === 'calc');
  const asked = new Set(calculated.slice(0, maxAsked).map(({ id }) => id));
  return (
    <>
      <List
        items={shown}
        keyOf={({ id }) => id}
        columns={[
          {
            title: columns.name,
            value: ({ id, name }) => (
              <Link to="/tables/$tableId" params={{ tableId: id }}>
                {name}
              </Link>
            ),
          },
          { title: columns.kind, value: ({ kind }) => kinds[kind] },
          { title: columns.tier, value: ({ id }) => textOf(tiers, known?.get(id)?.tier) },
          { title: columns.tests, value: ({ id }) => <Tested as={known?.get(id)?.tests} /> },
          ...(calculated.length === 0
            ? []
            : [
                {
                  title: columns.fresh,
                  value: ({ id }: Entry) => (asked.has(id) ? <Freshness tableId={id} /> : null),
                },
              ]),
          { title: columns.rows, value: ({ rowCount }) => rowCount?.toLocaleString(), isNumber: true },
          { title: columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      {entries.length > maxShown && <Text c="dimmed">{texts.data.more(entries.length - maxShown)}</Text>}
    </>
  );
}

const signals: Record<keyof typeof tests, Signal> = {
  ...{ passing: 'good', warning: 'warning', failing: 'bad', untested: 'neutral' },
};

const Tested = ({ as }: { as: keyof typeof tests | undefined }) =>
  as === undefined || as === 'untested' ? as && tests[as] : <Signaled as={signals[as]}>{tests[as]}</Signaled>;

const textOf = <Name extends string>(all: Record<Name, string>, name: Name | undefined): string =>
  name === undefined ? '' : all[name];
