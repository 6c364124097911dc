import { Group } from '@mantine/core';
import { Choice } from '../parts/choice.tsx';
import * as texts from '../texts/index.ts';
import type { Known } from './known.ts';
import type { Entry } from './tables.ts';

/** Which tables and views are listed; all by default. */
export interface Filter {
  kind: Entry['kind'] | undefined;
  tier: Known['tier'] | undefined;
}

const { columns, kinds, tiers } = texts.data;
const kindNames = (Object.keys(kinds) as Entry['kind'][]).filter((name) => name !== 'system');
const tierNames = Object.keys(tiers) as Known['tier'][];

/** As it is in the address, where anything may have been typed. */
export const filterOf = (search: { kind?: string; tier?: string }): Filter => ({
  kind: kindNames.find((name) => name === search.kind),
  tier: tierNames.find((name) => name === search.tier),
});

interface FilterChoiceProps extends Filter {
  onChoose: (filter: Filter) => void;
}

export const FilterChoice = ({ kind, tier, onChoose }: FilterChoiceProps) => (
  <Group>
    <Choice
      label={columns.kind}
      value={kind}
      options={kindNames.map((name) => [name, kinds[name]])}
      onChoose={(chosen) => onChoose({ kind: chosen, tier })}
    />
    <Choice
      label={columns.tier}
      value={tier}
      options={tierNames.map((name) => [name, tiers[name]])}
      onChoose={(chosen) => onChoose({ kind, tier: chosen })}
    />
  </Group>
);
