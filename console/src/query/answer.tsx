import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { QueryAnswer } from '../../../clients/typescript/src/index.ts';
import { Grid } from '../parts/grid.tsx';
import * as texts from '../texts/index.ts';
import { AnswerChart } from './answer-chart.tsx';
import { ExportAnswer } from './export-answer.tsx';
import { KeepStatement } from './keep-statement.tsx';

/** Of a statement that the editor has no more: enough to know it by. */
const maxShown = 500;

interface AnswerProps {
  answer: QueryAnswer;
  sql: string;
  /** Whether the editor has another statement by now. */
  isOther: boolean;
}

/** The rows of a statement, and what can be made of them. */
export function Answer({ answer, sql, isOther }: AnswerProps) {
  const { columns, rows_with_column_order: given, rowCount, elapsedMs, truncated } = answer;
  const rows = useMemo(() => (given ?? []).map((row) => row.map(({ value }) => value)), [given]);
  return (
    <>
      {isOther && (
        <Text component="div" c="dimmed">
          <p>{texts.query.other}</p>
          <pre>{sql.length > maxShown ? `${sql.slice(0, maxShown)}…` : sql}</pre>
        </Text>
      )}
      <p className="facts" role="status">
        {truncated ? texts.query.truncated(rowCount) : texts.query.summary(rowCount, elapsedMs)}
      </p>
      {rows.length === 0 ? (
        <p>{texts.query.none}</p>
      ) : (
        <>
          <Grid label={texts.table.rows} columns={columns} rows={rows} isSortable />
          <AnswerChart columns={columns} rows={rows} />
        </>
      )}
      <ExportAnswer sql={sql} />
      <KeepStatement sql={sql} />
    </>
  );
}
