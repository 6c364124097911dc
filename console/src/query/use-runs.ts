import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type QueryAnswer, query } from '../../../clients/typescript/src/index.ts';
import { missing, parametersNow, type Typed, typedValues, withValues } from '../saved/parameter.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { historyKey } from './history.tsx';
import type { Sheet } from './sheets.ts';

export const maxRows = 10_000;

/** A statement that was run: as it was written, and with the values of its parameters. */
export interface Ran {
  sql: string;
  typed: Typed;
  executed: string;
  isPending: boolean;
  answer?: QueryAnswer;
  error?: Error;
}

/** What was run on each sheet last. */
export function useRuns() {
  const queries = useQueryClient();
  const [runs, setRuns] = useState<Readonly<Record<string, Ran>>>({});
  const stops = useRef(new Map<string, AbortController>());
  // Not a plain call: a login that has ended begins anew for whatever the library asks.
  const { mutateAsync } = useMutation({
    mutationFn: (asked: { sheet: Sheet; executed: string; signal: AbortSignal }) => answerOf(asked),
  });
  const run = async (sheet: Sheet) => {
    const { id, sql, typed } = sheet;
    stops.current.get(id)?.abort();
    const stop = new AbortController();
    stops.current.set(id, stop);
    const parameters = parametersNow(sql, sheet.parameters);
    const executed = withValues(sql, parameters, typed);
    const without = missing(parameters, typed);
    const ran = { sql, typed, executed };
    if (without.length > 0) {
      const error = new Error(texts.query.parameters.missing(without.join(', ')));
      setRuns((now) => ({ ...now, [id]: { ...ran, isPending: false, error } }));
      return;
    }
    setRuns((now) => ({ ...now, [id]: { ...ran, isPending: true } }));
    const end = (part: Partial<Ran>) => {
      if (stops.current.get(id) !== stop) return;
      stops.current.delete(id);
      setRuns((now) => ({ ...now, [id]: { ...ran, isPending: false, ...part } }));
    };
    try {
      end({ answer: await mutateAsync({ sheet, executed, signal: stop.signal }) });
    } catch (error) {
      end((error as Error).name === 'AbortError' ? {} : { error: error as Error });
    }
    void queries.invalidateQueries({ queryKey: historyKey });
  };
  return { runs, run, stop: (id: string) => stops.current.get(id)?.abort() };
}

/** A saved query that nobody has changed runs as such, with its values bound. */
async function answerOf({
  sheet: { saved, sql, parameters, typed },
  executed,
  signal,
}: {
  sheet: Sheet;
  executed: string;
  signal: AbortSignal;
}): Promise<QueryAnswer> {
  const isAsSaved =
    saved !== undefined &&
    saved.sql === sql &&
    JSON.stringify(saved.parameters) === JSON.stringify(parameters);
  if (!isAsSaved)
    return query(workspace, { sql: executed, limit: maxRows, rowFormat: 'rows_with_column_order', signal });
  const { data } = await workspace.post('/v1/projects/{project_id}/queries/{query_id}/executions', {
    params: { path: { project_id: saved.projectId, query_id: saved.id } },
    body: { params: typedValues(parameters, typed), limit: maxRows },
    signal,
  });
  return data;
}
