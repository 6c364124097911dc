import { Menu, Popover, UnstyledButton } from '@mantine/core';
import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  EyeOff,
  Filter as FilterIcon,
  Group as GroupIcon,
} from 'lucide-react';
import { useState } from 'react';
import * as texts from '../../texts/index.ts';
import type { ExploredColumn } from './exploration.ts';
import { FilterForm } from './forms.tsx';
import type { Change } from './use-exploration.ts';

const labels = texts.explore;
const size = 14;

interface ColumnHeadProps {
  column: ExploredColumn;
  /** Those of the table. */
  columns: readonly ExploredColumn[];
  change: Change;
}

/** A column's name, and what can be done by it. */
export function ColumnHead({ column, columns, change }: ColumnHeadProps) {
  const { name } = column;
  const [isFiltering, setIsFiltering] = useState(false);
  const isOfTable = columns.some((each) => each.name === name);
  const sort = (isDescending: boolean) =>
    change((before) => ({ ...before, sort: [{ column: name, isDescending }] }));
  return (
    <Popover opened={isFiltering} onChange={setIsFiltering} position="bottom-start" trapFocus returnFocus>
      <Menu position="bottom-start">
        <Popover.Target>
          <Menu.Target>
            <UnstyledButton className="bare head">
              {name}
              <ChevronDown size={12} aria-hidden />
            </UnstyledButton>
          </Menu.Target>
        </Popover.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<ArrowUp size={size} />} onClick={() => sort(false)}>
            {labels.ascending}
          </Menu.Item>
          <Menu.Item leftSection={<ArrowDown size={size} />} onClick={() => sort(true)}>
            {labels.descending}
          </Menu.Item>
          {isOfTable && (
            <>
              <Menu.Item leftSection={<FilterIcon size={size} />} onClick={() => setIsFiltering(true)}>
                {labels.filterOn}
              </Menu.Item>
              <Menu.Item
                leftSection={<GroupIcon size={size} />}
                onClick={() =>
                  change((before) => ({
                    ...before,
                    sort: [],
                    groups: [...before.groups.filter((each) => each.column !== name), { column: name }],
                  }))
                }
              >
                {labels.groupBy}
              </Menu.Item>
              <Menu.Item
                leftSection={<EyeOff size={size} />}
                onClick={() => change((before) => ({ ...before, hidden: [...before.hidden, name] }))}
              >
                {labels.hide}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Popover.Dropdown>
        {isFiltering && (
          <FilterForm {...{ columns, change }} first={name} close={() => setIsFiltering(false)} />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
