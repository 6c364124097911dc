import { Tabs, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { QueryAnswer } from '../../../clients/typescript/src/index.ts';
import { guessed, type QueryChart, rowsOf } from '../charts/chart.ts';
import { ChartSettings } from '../charts/chart-settings.tsx';
import { ShownRows } from '../charts/shown-rows.tsx';
import { TableName } from '../data/table-name.tsx';
import { Grid } from '../parts/grid.tsx';
import * as texts from '../texts/index.ts';

const labels = texts.query;
/** Of a statement that the editor has no more: enough to know it by. */
const maxShown = 500;

export type View = 'rows' | 'chart';

interface AnswerProps {
  answer: QueryAnswer;
  sql: string;
  /** Whether the editor has another statement by now. */
  isOther: boolean;
  view: View;
  onView: (view: View) => void;
  /** Chosen; otherwise it is guessed. */
  chart: QueryChart | null;
  onChart: (chart: QueryChart) => void;
}

/** The rows of a statement, as a table and as a chart. */
export function Answer({ answer, sql, isOther, view, onView, chart, onChart }: AnswerProps) {
  const rows = useMemo(() => rowsOf(answer), [answer]);
  const shown = useMemo(() => chart ?? guessed(rows), [chart, rows]);
  return (
    <section aria-label={labels.result}>
      {isOther && (
        <Text component="div" c="dimmed">
          <p>{labels.other}</p>
          <pre>{sql.length > maxShown ? `${sql.slice(0, maxShown)}…` : sql}</pre>
        </Text>
      )}
      {rows.rows.length === 0 ? (
        <p>{labels.none}</p>
      ) : (
        <Tabs value={view} onChange={(name) => onView(name as View)} keepMounted={false}>
          <Tabs.List aria-label={labels.result} mb="sm">
            <Tabs.Tab value="rows">{labels.rows}</Tabs.Tab>
            <Tabs.Tab value="chart">{labels.chart}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="rows">
            <Grid label={texts.table.rows} columns={rows.columns} rows={rows.rows} isSortable />
          </Tabs.Panel>
          <Tabs.Panel value="chart">
            <div className="chart-and-settings">
              <div>
                <ShownRows title={labels.chart} chart={shown} rows={rows} />
              </div>
              <ChartSettings chart={shown} columns={rows.columns} onChange={onChart} />
            </div>
          </Tabs.Panel>
        </Tabs>
      )}
      <AnswerFacts answer={answer} />
    </section>
  );
}

/** How many rows there are, how long they took, and of which versions of which tables they are. */
function AnswerFacts({ answer }: { answer: QueryAnswer }) {
  const { rowCount, elapsedMs, truncated, cached, scanned } = answer;
  return (
    <div className="facts" role="status">
      {truncated ? labels.truncated(rowCount) : labels.counted(rowCount)}
      {' · '}
      {labels.elapsed(elapsedMs)}
      {cached && (
        <>
          {' · '}
          <span title={labels.cachedHint}>{labels.cached}</span>
        </>
      )}
      {scanned.tables.map(({ tableId, version }) => (
        <span key={tableId}>
          {' · '}
          <TableName id={tableId} /> {labels.version(version)}
        </span>
      ))}
    </div>
  );
}
