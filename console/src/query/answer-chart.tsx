import { Group, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Select } from '../parts/input.tsx';
import { Chart } from '../parts/later.tsx';
import { isNumeric } from '../parts/value.ts';
import * as texts from '../texts/index.ts';

interface AnswerChartProps {
  columns: readonly { name: string; dataType: string }[];
  rows: readonly (readonly unknown[])[];
}

const labels = texts.query.chart;
type Kind = keyof typeof labels.kinds;
const kinds = Object.keys(labels.kinds) as Kind[];
/** More marks than that nobody tells apart. */
const maxMarks = 5_000;

/** A drawing of the rows as they are: which columns are its axes is chosen. */
export function AnswerChart({ columns, rows }: AnswerChartProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [kind, setKind] = useState<Kind>('bar');
  const numbers = columns.flatMap(({ dataType }, at) => (isNumeric(dataType) ? [at] : []));
  const drawable = numbers.filter((at) => rows.some((row) => row[at] !== null));
  const [y, setY] = useState(drawable.at(-1) ?? numbers.at(-1) ?? 0);
  const [x, setX] = useState(columns.findIndex((_, at) => at !== y));
  const [color, setColor] = useState(-1);
  const document = useMemo(
    () => (isOpen ? drawing({ kind, x, y, color, columns, rows }) : undefined),
    [isOpen, kind, x, y, color, columns, rows],
  );
  if (numbers.length === 0 || columns.length < 2) return null;
  const choice = (label: string, value: number, set: (at: number) => void, offered: readonly number[]) => (
    <Select label={label} value={value} onChange={({ target }) => set(Number(target.value))}>
      {offered.map((at) => (
        <option key={at} value={at}>
          {columns[at]?.name ?? labels.none}
        </option>
      ))}
    </Select>
  );
  const all = columns.map((_, at) => at);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{labels.show}</summary>
      <Group align="start">
        <Select label={labels.kind} value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {labels.kinds[kind]}
            </option>
          ))}
        </Select>
        {choice(labels.x, x, setX, all)}
        {choice(labels.y, y, setY, numbers)}
        {choice(labels.color, color, setColor, [-1, ...all])}
      </Group>
      {document !== undefined && <Chart title={labels.show} document={document} />}
      {rows.length > maxMarks && <Text c="dimmed">{labels.cut(maxMarks)}</Text>}
    </details>
  );
}

interface Drawing extends AnswerChartProps {
  kind: Kind;
  x: number;
  y: number;
  color: number;
}

/** Vega-Lite. Columns are fields by their position: their names may hold anything. */
function drawing({ kind, x, y, color, columns, rows }: Drawing) {
  const typeOf = (at: number) => {
    const { dataType } = columns[at]!;
    if (isNumeric(dataType)) return 'quantitative';
    return /^(DATE|TIMESTAMP)/.test(dataType) ? 'temporal' : 'nominal';
  };
  const channel = (at: number, more: object = {}) => ({
    field: `c${at}`,
    type: typeOf(at),
    title: columns[at]!.name,
    ...more,
  });
  const values = rows
    .slice(0, maxMarks)
    .map((row) =>
      Object.fromEntries(
        [x, y, color].flatMap((at) => (at === -1 ? [] : [[`c${at}`, plotted(row[at], typeOf(at))]])),
      ),
    );
  return {
    width: 'container',
    height: 300,
    data: { values },
    mark: { type: kind },
    encoding: {
      // The order of the rows, as the statement put them.
      x: channel(
        x,
        kind === 'bar' ? { type: typeOf(x) === 'temporal' ? 'temporal' : 'ordinal', sort: null } : {},
      ),
      y: channel(y),
      ...(color === -1 ? {} : { color: channel(color, { type: 'nominal' }) }),
    },
  };
}

const plotted = (value: unknown, type: string): unknown =>
  value !== null && type === 'quantitative' ? Number(value) : value;
