import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { query } from '../../../clients/typescript/src/index.ts';
import { Form } from '../parts/form.tsx';
import { addressOf, useChanged, useGiven } from '../parts/statement-address.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Answer } from './answer.tsx';
import { ChangeStatement } from './change-statement.tsx';
import { Exports } from './exports.tsx';
import { placeOf } from './fault.ts';
import { History, historyKey } from './history.tsx';
import { schemaQuery } from './schema.ts';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

const route = getRouteApi('/framed/query');
const maxRows = 10_000;
const none = {};

/** One statement and its rows. The statement is part of the address once it was run, unless it is too long. */
export function QueryPage() {
  const given = useGiven();
  const changed = useChanged();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [sql, setSql] = useState(given ?? '');
  const [seen, setSeen] = useState(given);
  /** What was run, until the address has it. */
  const asked = useRef<string>(undefined);
  /** Whether what was run last is what the address has: its answer is of no other statement. */
  const [isHere, setIsHere] = useState(false);
  // Another address, as by going back, is another statement.
  if (given !== undefined && given !== seen) {
    setSeen(given);
    if (given !== asked.current) {
      setSql(given);
      setIsHere(false);
    }
    asked.current = undefined;
  }
  const { data: schema = none } = useQuery(schemaQuery);
  const stop = useRef<AbortController>(undefined);
  const { data, error, isPending, mutate, variables } = useMutation({
    mutationFn: (statement: string) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      return query(workspace, {
        sql: statement,
        limit: maxRows,
        rowFormat: 'rows_with_column_order',
        signal,
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: historyKey }),
  });
  const run = () => {
    if (isPending || sql.trim() === '') return;
    asked.current = sql === given ? undefined : sql;
    setIsHere(true);
    void navigate({ ...addressOf(sql, changed), replace: given === '' });
    mutate(sql);
  };
  const isStopped = error?.name === 'AbortError';
  const failed = error === null || isStopped || isPending || !isHere ? undefined : error;
  const fault = useMemo(() => {
    const place = failed && variables === sql ? placeOf(sql, failed.message) : undefined;
    return place && { ...place, message: failed!.message };
  }, [failed, variables, sql]);
  return (
    <>
      <h1>{texts.pages.query}</h1>
      <Form isWide onSubmit={run}>
        <Suspense fallback={<Loading />}>
          <Editor
            label={texts.query.label}
            description={texts.query.hint}
            value={sql}
            onChange={setSql}
            onRun={run}
            schema={schema}
            fault={fault}
          />
        </Suspense>
        <Text c="dimmed" aria-hidden>
          {texts.query.hint}
        </Text>
        <Group>
          <Button variant="filled" type="submit" disabled={isPending}>
            {texts.query.run}
          </Button>
          {isPending && <Button onClick={() => stop.current?.abort()}>{texts.query.stop}</Button>}
        </Group>
      </Form>
      {changed !== undefined && <ChangeStatement {...{ changed, sql }} />}
      {isPending && <Loading />}
      {failed !== undefined && <Failure error={failed} />}
      {isHere && !isPending && error === null && data !== undefined && (
        <Answer key={data.id} answer={data} sql={variables!} isOther={variables !== sql} />
      )}
      <History />
      <Exports />
    </>
  );
}
