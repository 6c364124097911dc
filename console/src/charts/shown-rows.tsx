import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { Grid } from '../parts/grid.tsx';
import { Chart } from '../parts/later.tsx';
import * as texts from '../texts/index.ts';
import { measuresOf, placeOf, type QueryChart, type Rows } from './chart.ts';
import { drawing, isDrawn, maxMarks, Undrawable } from './drawing.ts';
import { bigText, pivoted } from './pivot.ts';

/** Of a chart on a page of its own, in pixels. */
const size = { width: 'container', height: 340 };

interface ShownRowsProps {
  title: string;
  chart: QueryChart;
  rows: Rows;
  /** As large as what it is in, instead of a height of its own. */
  fills?: boolean;
}

type Drawn =
  | { document: ReturnType<typeof drawing> & object }
  | { number: string; label: string }
  | { table: Rows; fault?: string };

/** Rows as their chart. What cannot be drawn is a table, with the reason. */
export function ShownRows({ title, chart, rows, fills = false }: ShownRowsProps) {
  const drawn = useMemo(() => {
    const one = drawnOf(chart, rows);
    return 'document' in one && !fills ? { document: { ...one.document, ...size } } : one;
  }, [chart, rows, fills]);
  if ('document' in drawn)
    return (
      <>
        <Chart title={title} document={drawn.document} fills={fills} />
        {rows.rows.length > maxMarks && <Text c="dimmed">{texts.charts.cut(maxMarks)}</Text>}
      </>
    );
  if ('number' in drawn)
    return (
      <p className="big-number">
        <strong>{drawn.number}</strong>
        <span>{drawn.label}</span>
      </p>
    );
  const { table, fault } = drawn;
  return (
    <>
      {fault !== undefined && <p className="fault">{fault}</p>}
      {table.rows.length === 0 ? (
        <p className="empty">{texts.charts.empty}</p>
      ) : (
        <Grid label={texts.charts.rowsOf(title)} columns={table.columns} rows={table.rows} isSortable />
      )}
    </>
  );
}

function drawnOf(chart: QueryChart, rows: Rows): Drawn {
  const { type } = chart;
  try {
    if (rows.rows.length === 0 || type === 'table') return { table: rows };
    if (type === 'number') return numberOf(chart, rows);
    if (isDrawn(type)) return { document: drawing({ ...chart, type }, rows) };
    return { table: pivoted(chart, rows) };
  } catch (error) {
    if (!(error instanceof Undrawable)) throw error;
    return { table: rows, fault: error.message };
  }
}

function numberOf(chart: QueryChart, rows: Rows): Drawn {
  const name = chart.y[0] ?? measuresOf({ ...chart, x: '' }, rows)[0] ?? rows.columns[0]!.name;
  const at = placeOf(rows.columns, name);
  if (at === undefined) throw new Undrawable(texts.charts.noColumn(name));
  return { number: bigText(rows.rows[0]![at], rows.columns[at]!.dataType), label: name };
}
