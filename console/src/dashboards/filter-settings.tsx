import { Button, Fieldset } from '@mantine/core';
import { Empty } from '../parts/empty.tsx';
import { Input, Select } from '../parts/input.tsx';
import type { ParameterType } from '../saved/parameter.ts';
import { DefaultInput } from '../saved/parameter-fields.tsx';
import type { Filter } from '../saved/resources.ts';
import * as texts from '../texts/index.ts';

const labels = texts.dashboards.filter;
const { types } = texts.saved;
const names = Object.keys(types) as ParameterType[];
const legalName = '[A-Za-z_][A-Za-z0-9_]{0,63}';

interface FilterSettingsProps {
  filters: readonly Filter[];
  /** `renamed` says which filter has another name now, so that tiles follow it. */
  onChange: (filters: Filter[], renamed?: { from: string; to: string | undefined }) => void;
}

/** The filters of a dashboard: what they are called, of which type they are, and what they begin with. */
export function FilterSettings({ filters, onChange }: FilterSettingsProps) {
  const change = (at: number, part: Partial<Filter>) =>
    onChange(
      filters.map((filter, index) => (index === at ? { ...filter, ...part } : filter)),
      part.name === undefined ? undefined : { from: filters[at]!.name, to: part.name },
    );
  const free = () => {
    for (let count = 1; ; count += 1)
      if (!filters.some(({ name }) => name === `filter_${count}`)) return `filter_${count}`;
  };
  return (
    <div className="form">
      {filters.length === 0 && <Empty>{labels.none}</Empty>}
      {filters.map((filter, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is edited, and filters don't move.
        <Fieldset key={at} legend={labels.title(filter.label)}>
          <Input
            label={labels.name}
            hint={labels.nameHint}
            required
            pattern={legalName}
            value={filter.name}
            onChange={({ target }) => change(at, { name: target.value })}
          />
          <Input
            label={labels.label}
            maxLength={200}
            value={filter.label}
            onChange={({ target }) => change(at, { label: target.value })}
          />
          <Select
            label={labels.type}
            value={filter.type}
            onChange={({ target }) => change(at, { type: target.value as ParameterType, default: null })}
          >
            {names.map((type) => (
              <option key={type} value={type}>
                {types[type]}
              </option>
            ))}
          </Select>
          <DefaultInput
            key={filter.type}
            parameter={filter}
            onChange={(given) => change(at, { default: given })}
          />
          <Button
            onClick={() =>
              onChange(
                filters.filter((_, index) => index !== at),
                { from: filter.name, to: undefined },
              )
            }
          >
            {labels.remove}
          </Button>
        </Fieldset>
      ))}
      <Button
        onClick={() => {
          const name = free();
          onChange([...filters, { name, label: name, type: 'string', default: null }]);
        }}
      >
        {labels.add}
      </Button>
    </div>
  );
}
