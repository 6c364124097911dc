import { Checkbox, Fieldset } from '@mantine/core';
import { Select } from '../parts/input.tsx';
import { isNumeric } from '../parts/value.ts';
import * as texts from '../texts/index.ts';
import type { ChartType, Column, QueryChart } from './chart.ts';

const labels = texts.charts;
const types = Object.keys(labels.kinds) as ChartType[];

interface ChartSettingsProps {
  chart: QueryChart;
  columns: readonly Column[];
  onChange: (chart: QueryChart) => void;
}

/** What a chart shows: its kind, and the columns of its axes. */
export function ChartSettings({ chart, columns, onChange }: ChartSettingsProps) {
  const { type, x, y, series } = chart;
  const change = (part: Partial<QueryChart>) => onChange({ ...chart, ...part });
  const numbers = columns.filter(({ dataType }) => isNumeric(dataType));
  const hasAxes = type !== 'table' && type !== 'number';
  const choice = (label: string, value: string | null, name: 'x' | 'series') => (
    <Select
      label={label}
      value={value ?? ''}
      onChange={({ target }) => change({ [name]: target.value === '' ? null : target.value })}
    >
      <option value="">{labels.none}</option>
      {value !== null && !columns.some((column) => column.name === value) && <option>{value}</option>}
      {[...new Set(columns.map(({ name }) => name))].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </Select>
  );
  return (
    <section className="chart-settings" aria-label={labels.settings}>
      <Select
        label={labels.kind}
        value={type}
        onChange={({ target }) => change({ type: target.value as ChartType })}
      >
        {types.map((one) => (
          <option key={one} value={one}>
            {labels.kinds[one]}
          </option>
        ))}
      </Select>
      {hasAxes && choice(type === 'pie' ? labels.slices : type === 'pivot' ? labels.rows : labels.x, x, 'x')}
      {type === 'pivot' && choice(labels.columns, series, 'series')}
      {type !== 'table' && (
        <Measures
          title={
            type === 'number' ? labels.number : type === 'pie' || type === 'pivot' ? labels.values : labels.y
          }
          isOne={type === 'number' || type === 'pie' || type === 'pivot'}
          columns={type === 'number' ? columns : numbers}
          chosen={y}
          onChange={(names) => change({ y: names })}
        />
      )}
      {hasAxes && type !== 'pie' && type !== 'pivot' && choice(labels.series, series, 'series')}
    </section>
  );
}

interface MeasuresProps {
  title: string;
  isOne: boolean;
  columns: readonly Column[];
  chosen: readonly string[];
  onChange: (names: string[]) => void;
}

/** The columns whose numbers are drawn: one, or several beside each other. */
function Measures({ title, isOne, columns, chosen, onChange }: MeasuresProps) {
  const names = [...new Set([...columns.map(({ name }) => name), ...chosen])];
  if (isOne)
    return (
      <Select
        label={title}
        value={chosen[0] ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? [] : [target.value])}
      >
        <option value="">{labels.none}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
    );
  return (
    <Fieldset legend={title} variant="unstyled" my={0} p={0}>
      {names.map((name) => (
        <Checkbox
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
          }
        />
      ))}
    </Fieldset>
  );
}
