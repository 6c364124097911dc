import { Button, Group } from '@mantine/core';
import {
  ArrowUpDown,
  Columns3,
  Filter as FilterIcon,
  Group as GroupIcon,
  Sigma,
  SquareTerminal,
  X,
} from 'lucide-react';
import { LinkButton } from '../../parts/link-button.tsx';
import { addressOf } from '../../parts/statement-address.ts';
import * as texts from '../../texts/index.ts';
import { Choose } from './choose.tsx';
import { type Exploration, type ExploredColumn, isNothing, measureName, nothing } from './exploration.ts';
import { ColumnsForm, FilterForm, GroupForm, MeasureForm, SortForm } from './forms.tsx';
import type { Change } from './use-exploration.ts';

const labels = texts.explore;
const size = 14;

interface ToolbarProps {
  columns: readonly ExploredColumn[];
  /** Those of the answer, which can be sorted by. */
  shown: readonly ExploredColumn[];
  chosen: Exploration;
  change: Change;
  statement: string;
}

/** How rows are filtered, sorted, grouped and counted, and what of it was chosen. */
export function Toolbar({ columns, shown, chosen, change, statement }: ToolbarProps) {
  const form = { columns, change };
  return (
    <div className="explore">
      <Group gap={4} role="toolbar" aria-label={texts.table.rows}>
        <Choose label={labels.filter} icon={<FilterIcon size={size} />}>
          {(close) => <FilterForm {...form} close={close} />}
        </Choose>
        <Choose label={labels.sort} icon={<ArrowUpDown size={size} />}>
          {(close) => <SortForm {...form} columns={shown} close={close} />}
        </Choose>
        <Choose label={labels.group} icon={<GroupIcon size={size} />}>
          {(close) => <GroupForm {...form} close={close} />}
        </Choose>
        <Choose label={labels.summarize} icon={<Sigma size={size} />}>
          {(close) => <MeasureForm {...form} close={close} />}
        </Choose>
        <Choose label={labels.columns} icon={<Columns3 size={size} />}>
          {() => <ColumnsForm {...form} hidden={chosen.hidden} />}
        </Choose>
        <LinkButton
          to="/query"
          {...addressOf(statement)}
          variant="subtle"
          leftSection={<SquareTerminal size={size} />}
        >
          {labels.asSql}
        </LinkButton>
      </Group>
      {!isNothing(chosen) && <Chosen chosen={chosen} change={change} />}
    </div>
  );
}

/** Each choice, with a way to take it back. */
function Chosen({ chosen, change }: Pick<ToolbarProps, 'chosen' | 'change'>) {
  const without = <Name extends keyof Exploration>(name: Name, at: number) =>
    change((before) => ({ ...before, [name]: before[name].filter((_, index) => index !== at) }));
  const chips = [
    ...chosen.filters.map(({ column, test, value }, at) => ({
      text: `${column} ${labels.tests[test]}${value === '' ? '' : ` ${value}`}`,
      take: () => without('filters', at),
    })),
    ...chosen.groups.map(({ column, unit }, at) => ({
      text: labels.grouped(column, unit && labels.units[unit]),
      take: () => without('groups', at),
    })),
    ...chosen.measures.map((measure, at) => ({
      text: measureName(measure),
      take: () => without('measures', at),
    })),
    ...chosen.sort.map(({ column, isDescending }, at) => ({
      text: labels.sorted(column, isDescending),
      take: () => without('sort', at),
    })),
    ...(chosen.hidden.length === 0
      ? []
      : [
          {
            text: labels.hidden(chosen.hidden.length),
            take: () => change((before) => ({ ...before, hidden: [] })),
          },
        ]),
  ];
  return (
    <Group gap={4} mt={4}>
      {chips.map(({ text, take }, at) => (
        <Button
          // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may be there twice.
          key={`${at} ${text}`}
          className="chip"
          variant="default"
          rightSection={<X size={12} />}
          aria-label={labels.remove(text)}
          onClick={take}
        >
          {text}
        </Button>
      ))}
      <Button variant="subtle" onClick={() => change(() => nothing)}>
        {labels.reset}
      </Button>
    </Group>
  );
}
