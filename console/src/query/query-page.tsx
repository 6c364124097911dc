import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { type QueryAnswer, query } from '../../../clients/typescript/src/index.ts';
import { Grid } from '../parts/grid.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import { texts } from '../texts.ts';

const route = getRouteApi('/framed/query');
const maxRows = 10_000;

/** One statement and its rows. The statement is part of the address once it was run. */
export function QueryPage() {
  const { sql: given = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [sql, setSql] = useState(given);
  const stop = useRef<AbortController>(undefined);
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      return query(workspace, { sql, limit: maxRows, rowFormat: 'rows_with_column_order', signal });
    },
  });
  const run = (event?: FormEvent) => {
    event?.preventDefault();
    if (isPending || sql.trim() === '') return;
    void navigate({ search: { sql }, replace: true });
    mutate();
  };
  const isStopped = error?.name === 'AbortError';
  return (
    <>
      <h1>{texts.pages.query}</h1>
      <form onSubmit={run}>
        <label htmlFor="sql">{texts.query.label}</label>
        <textarea
          id="sql"
          rows={8}
          spellCheck={false}
          autoComplete="off"
          aria-describedby="sql-hint"
          value={sql}
          onChange={({ target }) => setSql(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(event);
          }}
        />
        <p id="sql-hint" className="hint">
          {texts.query.hint}
        </p>
        <p className="buttons">
          <button type="submit" disabled={isPending}>
            {texts.query.run}
          </button>
          {isPending && (
            <button type="button" className="plain" onClick={() => stop.current?.abort()}>
              {texts.query.stop}
            </button>
          )}
        </p>
      </form>
      {isPending && <Loading />}
      {!isPending && error !== null && !isStopped && <Failure error={error} />}
      {!isPending && error === null && data !== undefined && <Answer answer={data} />}
    </>
  );
}

function Answer({ answer }: { answer: QueryAnswer }) {
  const { columns, rows_with_column_order: rows = [], rowCount, elapsedMs, truncated } = answer;
  return (
    <>
      <p className="facts" role="status">
        {truncated ? texts.query.truncated(rowCount) : texts.query.told(rowCount, elapsedMs)}
      </p>
      {rows.length === 0 ? (
        <p>{texts.query.none}</p>
      ) : (
        <Grid
          label={texts.table.rows}
          columns={columns}
          rows={rows.map((row) => row.map(({ value }) => value))}
        />
      )}
    </>
  );
}
