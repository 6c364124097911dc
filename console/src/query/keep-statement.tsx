import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../parts/form.tsx';
import { Input, Select } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.query.save;
type Kind = keyof typeof labels.kinds;
const kinds = Object.keys(labels.kinds) as Kind[];

/** A statement becomes a view, or a calculated table that is built at once. */
export function KeepStatement({ sql }: { sql: string }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('view');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => keep(kind, name, sql),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tables'] }),
  });
  return (
    <details>
      <summary>{labels.title}</summary>
      <Form onSubmit={() => mutate()}>
        <Group align="start">
          <Input
            label={labels.name}
            required
            maxLength={255}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Select label={labels.as} value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {labels.kinds[kind]}
              </option>
            ))}
          </Select>
        </Group>
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
    </details>
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
