import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.query.save;
export type Kind = 'view' | 'calc';

interface KeepStatementProps {
  kind: Kind;
  /** With the values of its parameters, of which views and calculated tables have none. */
  sql: string;
  hasParameters: boolean;
}

/** A statement becomes a view, or a calculated table that is built at once. */
export function KeepStatement({ kind, sql, hasParameters }: KeepStatementProps) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => keep(kind, name, sql),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tables'] }),
  });
  return (
    <>
      <Form onSubmit={() => mutate()}>
        <Text c="dimmed">{kind === 'view' ? labels.viewHint : labels.calcHint}</Text>
        {hasParameters && <Text c="dimmed">{labels.withValues}</Text>}
        <Input
          label={labels.name}
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.submit}
        </Button>
      </Form>
      {error !== null && <Failure error={error} />}
      {data !== undefined && (
        <p role="status">
          <Link to="/tables/$tableId" params={{ tableId: data.id }}>
            {labels.open(data.name)}
          </Link>
        </p>
      )}
    </>
  );
}

async function keep(kind: Kind, name: string, query: string): Promise<{ id: string; name: string }> {
  if (kind === 'view') return (await workspace.post('/v1/views', { body: { name, query } })).data;
  const { data } = await workspace.post('/v1/grid/tables', { body: { name, kind, query } });
  await workspace.post('/v1/grid/tables/{table_id}/materialize', {
    params: { path: { table_id: data.tableId } },
  });
  return { id: data.tableId, name };
}
